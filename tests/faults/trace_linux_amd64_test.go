package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Constants of the kernel that package syscall does not have.
const (
	ptraceExitKill   = 0x100000
	ptraceStopOfCall = syscall.SIGTRAP | 0x80 // with PTRACE_O_TRACESYSGOOD
	waitNoThread     = 0x20000000             // __WNOTHREAD: the tests have other children
	waitAll          = 0x40000000             // __WALL
	renameat2        = 316
)

// The errors of a full disk and of a broken one.
const (
	noSpace = syscall.ENOSPC
	ioError = syscall.EIO
)

func inode(info os.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// A call is a system call that changes a file, in any thread or child of a traced server.
type call struct {
	n    int    // the first call is 1
	name string // without the suffix "at"
	path string // of the changed file; the new path of a rename
	size uint64 // of a write, in bytes
}

func (c call) String() string { return fmt.Sprintf("%d: %s %s", c.n, c.name, filepath.Base(c.path)) }

// A fault is what happens to a call. The zero fault does nothing.
type fault struct {
	kill  bool          // the process is killed before the call
	errno syscall.Errno // the call is not made, and fails with this error
	short uint64        // only this number of bytes is written
	delay time.Duration // the call takes longer than usual by this time
}

// A tracer sees every call of a server below a directory before the call is made. It counts calls over all threads,
// because a Go program makes them in any thread; strace counts by thread.
type tracer struct {
	s     *server
	dir   string
	at    func(call) fault
	calls int
	// entered has the threads that are inside a system call, and the error that a skipped call returns.
	entered map[int]syscall.Errno
	held    map[int]time.Time // threads whose call is delayed, and the end of the delay
}

// startTraced is tryStart for a traced server. It calls at for each call below dir, one at a time.
func (p program) startTraced(t testing.TB, dir string, at func(call) fault, args ...string) (*server, error) {
	t.Helper()
	s, argv := p.prepare(t, dir, args)
	out, err := os.Create(s.log)
	require.NoError(t, err)
	defer out.Close()
	started := make(chan error)
	go func() {
		// The kernel accepts requests of ptrace only from the thread that started the process.
		runtime.LockOSThread()
		var err error
		s.pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
			Env:   os.Environ(),
			Files: []uintptr{0, out.Fd(), out.Fd()},
			Sys:   &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
		})
		tr := &tracer{s: s, dir: dir, at: at, entered: map[int]syscall.Errno{}, held: map[int]time.Time{}}
		if err == nil {
			err = tr.attach()
		}
		started <- err
		if err == nil {
			tr.loop()
		}
	}()
	if err := <-started; err != nil {
		skip(t.(*testing.T), "no process can be traced here: %v", err)
	}
	t.Cleanup(func() { s.killAtEnd(t) })
	return s, s.ready()
}

func (tr *tracer) attach() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(tr.s.pid, &status, 0, nil); err != nil {
		return err
	}
	const options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC | ptraceExitKill
	if err := syscall.PtraceSetOptions(tr.s.pid, options); err != nil {
		return err
	}
	return syscall.PtraceSyscall(tr.s.pid, 0)
}

// loop runs the process until it and all its children have ended. It waits for their process group alone: the thread
// may have started processes of other tests before, and their tests wait for those.
func (tr *tracer) loop() {
	var status, last syscall.WaitStatus
	for {
		flags := waitAll | waitNoThread
		if len(tr.held) > 0 {
			flags |= syscall.WNOHANG
		}
		pid, err := syscall.Wait4(-tr.s.pid, &status, flags, nil)
		if err == syscall.EINTR || pid == 0 {
			tr.release()
			continue
		}
		if err != nil {
			tr.s.ended(last)
			return
		}
		if status.Exited() || status.Signaled() {
			if pid == tr.s.pid {
				last = status
			}
			delete(tr.entered, pid)
			delete(tr.held, pid)
			continue
		}
		signal := status.StopSignal()
		switch signal {
		case ptraceStopOfCall:
			tr.stopped(pid)
			signal = 0
		case syscall.SIGTRAP, syscall.SIGSTOP: // an event, or a new thread
			signal = 0
		}
		if _, held := tr.held[pid]; !held {
			_ = syscall.PtraceSyscall(pid, int(signal)) // fails for a thread that has just been killed
		}
	}
}

// release continues the threads whose delay is over, and waits a little for the others.
func (tr *tracer) release() {
	for pid, until := range tr.held {
		if time.Now().After(until) {
			delete(tr.held, pid)
			_ = syscall.PtraceSyscall(pid, 0)
		}
	}
	time.Sleep(100 * time.Microsecond)
}

// stopped handles a thread that enters or leaves a system call.
func (tr *tracer) stopped(pid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &regs) != nil {
		return // killed
	}
	if errno, leaving := tr.entered[pid]; leaving {
		delete(tr.entered, pid)
		if errno != 0 {
			regs.Rax = -uint64(errno)
			_ = syscall.PtraceSetRegs(pid, &regs)
		}
		return
	}
	tr.entered[pid] = 0
	c, changes := tr.decode(pid, &regs)
	if !changes {
		return
	}
	tr.calls++
	c.n = tr.calls
	f := tr.at(c)
	if f.delay > 0 {
		tr.held[pid] = time.Now().Add(f.delay)
	}
	switch {
	case f.kill:
		_ = syscall.Kill(tr.s.pid, syscall.SIGKILL)
	case f.errno != 0:
		tr.entered[pid] = f.errno
		regs.Orig_rax = ^uint64(0)
		_ = syscall.PtraceSetRegs(pid, &regs)
	case f.short > 0 && f.short < c.size:
		regs.Rdx = f.short
		_ = syscall.PtraceSetRegs(pid, &regs)
	}
}

// decode reports whether a thread is about to change a file below the directory, and returns the call.
func (tr *tracer) decode(pid int, regs *syscall.PtraceRegs) (c call, changes bool) {
	fd := func(name string) (call, bool) {
		path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(regs.Rdi)))
		return call{name: name, path: path}, tr.below(path)
	}
	path := func(name string, dir, at uint64) (call, bool) {
		p := resolve(pid, int32(dir), at)
		return call{name: name, path: p}, tr.below(p)
	}
	const cwd = ^uint64(99) // AT_FDCWD, -100
	switch regs.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		c, changes = fd("write")
		c.size = regs.Rdx
	case syscall.SYS_WRITEV, syscall.SYS_PWRITEV:
		return fd("writev")
	case syscall.SYS_FSYNC:
		return fd("fsync")
	case syscall.SYS_FDATASYNC:
		return fd("fdatasync")
	case syscall.SYS_FTRUNCATE:
		return fd("ftruncate")
	case syscall.SYS_FALLOCATE:
		return fd("fallocate")
	case syscall.SYS_OPEN:
		c, changes = path("open", cwd, regs.Rdi)
		changes = changes && regs.Rsi&(syscall.O_WRONLY|syscall.O_RDWR|syscall.O_CREAT) != 0
	case syscall.SYS_OPENAT:
		c, changes = path("open", regs.Rdi, regs.Rsi)
		changes = changes && regs.Rdx&(syscall.O_WRONLY|syscall.O_RDWR|syscall.O_CREAT) != 0
	case syscall.SYS_RENAME:
		return path("rename", cwd, regs.Rsi)
	case syscall.SYS_RENAMEAT, renameat2:
		return path("rename", regs.Rdx, regs.R10)
	case syscall.SYS_LINK:
		return path("link", cwd, regs.Rsi)
	case syscall.SYS_LINKAT:
		return path("link", regs.Rdx, regs.R10)
	case syscall.SYS_UNLINK:
		return path("unlink", cwd, regs.Rdi)
	case syscall.SYS_UNLINKAT:
		return path("unlink", regs.Rdi, regs.Rsi)
	case syscall.SYS_MKDIR:
		return path("mkdir", cwd, regs.Rdi)
	case syscall.SYS_MKDIRAT:
		return path("mkdir", regs.Rdi, regs.Rsi)
	}
	return c, changes
}

func (tr *tracer) below(path string) bool {
	return path == tr.dir || strings.HasPrefix(path, tr.dir+"/")
}

// resolve returns the path at an address in a thread's memory. The path is relative to a directory, or to the working
// directory if dir is negative.
func resolve(pid int, dir int32, address uint64) string {
	var b [4096]byte
	n, _ := syscall.PtracePeekData(pid, uintptr(address), b[:256])
	name, _, _ := bytes.Cut(b[:n], []byte{0})
	if filepath.IsAbs(string(name)) {
		return filepath.Clean(string(name))
	}
	from := fmt.Sprintf("/proc/%d/cwd", pid)
	if dir >= 0 {
		from = fmt.Sprintf("/proc/%d/fd/%d", pid, dir)
	}
	base, _ := os.Readlink(from)
	return filepath.Join(base, string(name))
}
