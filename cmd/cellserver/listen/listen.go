package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"cellserver/cmd/cellserver/files"
	"cellserver/internal/config"
)

// listen returns the inherited listener of an endpoint. Without one it opens a listener. Its error names the
// address and the remedy.
func listen(e endpoint, sockets Inherited, cfg *config.Config) (net.Listener, error) {
	if ln, err := sockets.listen(e.network, e.address); ln != nil || err != nil {
		return ln, err
	}
	if e.network == "unix" {
		return listenUnix(e.address, fs.FileMode(cfg.UnixSocketPerm))
	}
	tcp := net.ListenConfig{KeepAlive: -1} // listener.Accept sets it for each connection
	ln, err := tcp.Listen(context.Background(), e.network, e.address)
	if err != nil {
		return nil, cannotListen(e.address, err,
			"stop what listens there, or choose another port with --port",
			"name an address of this machine with --bind, and a port that this user may open")
	}
	setBacklog(ln.(*net.TCPListener), cfg.TCPBacklog)
	return ln, nil
}

// listenUnix opens a unix socket with these permissions; 0 leaves them to the umask. A socket at which nobody
// listens is that of a server that was killed, so listenUnix removes it first.
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

// cannotListen returns the error for an address on which the server cannot listen. It ends with the remedy
// `inUse` if the address is in use, and with the remedy `otherwise` for every other reason.
func cannotListen(address string, err error, inUse, otherwise string) error {
	remedy := otherwise
	if errors.Is(err, syscall.EADDRINUSE) {
		remedy = inUse
	}
	return fmt.Errorf("cannot listen on %s: %w: %s", address, files.Cause(err), remedy)
}
