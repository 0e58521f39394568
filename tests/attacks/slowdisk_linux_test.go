package attacks

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// A slow disk of a real server: the kernel asks the test before each fsync of the server (seccomp user notification,
// see seccomp_unotify(2)). The test answers after a while. No other system call is slower than usual.

// Constants of the kernel that package syscall does not have.
const (
	setNoNewPrivileges = 38         // PR_SET_NO_NEW_PRIVS
	setModeFilter      = 1          // SECCOMP_SET_MODE_FILTER
	filterNewListener  = 1 << 3     // SECCOMP_FILTER_FLAG_NEW_LISTENER
	notifyReceive      = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	notifySend         = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	continueCall       = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
	actionNotify       = 0x7fc00000 // SECCOMP_RET_USER_NOTIF
	actionAllow        = 0x7fff0000 // SECCOMP_RET_ALLOW
)

// sysSeccomp is the number of the system call seccomp.
var sysSeccomp = map[string]uintptr{"amd64": 317, "arm64": 277}[runtime.GOARCH]

// slowDiskVariable makes the test's binary run [beSlowed] in place of the tests.
const slowDiskVariable = "ATTACKS_SLOW_DISK"

func init() {
	if os.Getenv(slowDiskVariable) != "" {
		fmt.Fprintln(os.Stderr, beSlowed())
		os.Exit(1)
	}
}

// beSlowed lets the parent delay each fsync of this process, and then becomes the server of its arguments.
func beSlowed() error {
	runtime.LockOSThread() // the filter is of this thread, which survives Exec
	const load, jumpIfEqual, jump = 0x20, 0x15, 0x06
	filter := []syscall.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: jumpIfEqual, Jt: 1, K: syscall.SYS_FSYNC},
		{Code: jumpIfEqual, Jf: 1, K: syscall.SYS_FDATASYNC},
		{Code: jump, K: actionNotify},
		{Code: jump, K: actionAllow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, no := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0); no != 0 {
		return no
	}
	listener, _, no := syscall.RawSyscall(sysSeccomp, setModeFilter, filterNewListener, uintptr(unsafe.Pointer(&program)))
	if no != 0 {
		return no
	}
	if err := syscall.Sendmsg(3, []byte{0}, syscall.UnixRights(int(listener)), nil, 0); err != nil {
		return err
	}
	os.Unsetenv(slowDiskVariable)
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}

// slowDisk is the disk of a server.
type slowDisk struct {
	delay atomic.Int64  // of each fsync, in nanoseconds
	syncs atomic.Int64  // how many there were
	freed chan struct{} // closed by free
}

// free ends all delays, also those that have begun.
func (d *slowDisk) free() { close(d.freed) }

// notification is struct seccomp_notif, as far as it matters.
type notification struct {
	id   uint64
	rest [72]byte
}

// startSlow is start for a server with a slow disk. The delay is 0 at first.
func startSlow(t *testing.T, directives ...string) (*server, *slowDisk) {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ours, theirs := pair[0], os.NewFile(uintptr(pair[1]), "listener")
	defer syscall.Close(ours)
	defer theirs.Close()
	port := porttest.Free(t)
	dir := t.TempDir()
	args := append([]string{binary, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--enable-debug-command", "yes"}, directives...)
	s := &server{t: t, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dir: dir}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), slowDiskVariable+"=1")
	cmd.ExtraFiles = []*os.File{theirs}
	s.run(cmd)
	disk := &slowDisk{freed: make(chan struct{})}
	listener, err := receive(ours)
	if err != nil {
		t.Skipf("no system call can be delayed here: %v: %s", err, s.Printed())
	}
	go disk.serve(listener)
	s.AwaitData(s.addr)
	return s, disk
}

// receive returns the descriptor that a process sent.
func receive(socket int) (int, error) {
	syscall.SetsockoptTimeval(socket, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: int64(patience / time.Second)})
	rights := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := syscall.Recvmsg(socket, make([]byte, 1), rights, 0)
	for err == syscall.EINTR { // the end of another process, for example
		_, n, _, _, err = syscall.Recvmsg(socket, make([]byte, 1), rights, 0)
	}
	if err != nil {
		return -1, err
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) == 0 {
		return -1, fmt.Errorf("no descriptor: %w", err)
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}

// serve delays calls until the server has ended.
func (d *slowDisk) serve(listener int) {
	defer syscall.Close(listener)
	for {
		var n notification
		if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(listener), notifyReceive, uintptr(unsafe.Pointer(&n))); no != 0 {
			if no == syscall.EINTR {
				continue
			}
			return
		}
		d.syncs.Add(1)
		go func() {
			select {
			case <-time.After(time.Duration(d.delay.Load())):
			case <-d.freed:
			}
			answer := struct {
				id    uint64
				value int64
				errno int32
				flags uint32
			}{id: n.id, flags: continueCall}
			syscall.Syscall(syscall.SYS_IOCTL, uintptr(listener), notifySend, uintptr(unsafe.Pointer(&answer)))
		}()
	}
}
