package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"cellserver/internal/config"
)

// listen opens a listener, if it is not inherited. Its error names the address and the remedy.
func listen(at endpoint, own inherited, cfg *config.Config) (net.Listener, error) {
	if ln, err := own.listen(at.network, at.address); ln != nil || err != nil {
		return ln, err
	}
	if at.network == "unix" {
		return listenUnix(at.address, fs.FileMode(cfg.UnixSocketPerm))
	}
	tcp := net.ListenConfig{
		KeepAlive: -1, // listener.Accept sets it for each connection
	}
	ln, err := tcp.Listen(context.Background(), at.network, at.address)
	if err != nil {
		return nil, cannotListen(at.address, err,
			"stop what listens there, or choose another port with --port",
			"name an address of this machine with --bind, and a port that this user may open")
	}
	setBacklog(ln.(*net.TCPListener), cfg.TCPBacklog)
	return ln, nil
}

// listenUnix opens a unix socket with these permissions; 0 leaves them to the umask. It first removes the
// socket of a server that was killed.
func listenUnix(path string, perm fs.FileMode) (net.Listener, error) {
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		conn.Close()
		return nil, cannotListen(path, syscall.EADDRINUSE,
			"stop what listens there, or choose another path with --unixsocket", "")
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
	ln, err := net.Listen("unix", path)
	if err == nil && perm != 0 {
		if err = os.Chmod(path, perm); err != nil {
			ln.Close()
		}
	}
	if err != nil {
		return nil, cannotListen(path, err, "remove what is there, or choose another path with --unixsocket",
			"choose another path with --unixsocket")
	}
	return ln, nil
}

// cannotListen is the error of an address on which the server cannot listen. inUse is the remedy for an
// address in use, and otherwise that for other reasons.
func cannotListen(address string, err error, inUse, otherwise string) error {
	remedy := otherwise
	if errors.Is(err, syscall.EADDRINUSE) {
		remedy = inUse
	}
	return fmt.Errorf("cannot listen on %s: %w: %s", address, cause(err), remedy)
}
