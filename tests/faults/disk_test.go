//go:build linux

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// sysSyncFS is the number of the system call syncfs.
var sysSyncFS = map[string]uintptr{"amd64": 306, "arm64": 267}[runtime.GOARCH]

// A disk is a file system whose power can be cut: ext4 on a loop device, stopped by FS_IOC_SHUTDOWN. Writes that
// were not synced are lost, as the page cache of a machine without power is lost.
type disk struct {
	dir     string // the mount point
	image   string
	options string
	root    *os.File // open only between arm and the cut
	cutAt   time.Time
}

// noCommits is the option of a disk that keeps no change by itself. Others commit their journal every five seconds.
const noCommits = "commit=600"

// newDisk makes a file system of size MiB, and mounts it until the test ends.
func newDisk(t *testing.T, size int64, options string) *disk {
	t.Helper()
	if os.Getuid() != 0 {
		skip(t, "cutting a disk's power takes root: run the tests as root, on a machine with loop devices")
	}
	for _, tool := range []string{"mkfs.ext4", "mount", "umount"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip(t, "no %s: install Debian's e2fsprogs and mount", tool)
		}
	}
	d := &disk{dir: filepath.Join(t.TempDir(), "disk"), options: options}
	require.NoError(t, os.Mkdir(d.dir, 0o755))
	d.image = imageFile(t, size)
	run(t, "mkfs.ext4", "-q", "-F", d.image)
	if out, err := d.mount(); err != nil {
		skip(t, "a file cannot be mounted here, which takes root and loop devices: %s%v", out, err)
	}
	t.Cleanup(d.unmount)
	return d
}

// imageFile returns the path of an empty file. It is in memory if possible, so that syncs cost little.
func imageFile(t *testing.T, size int64) string {
	t.Helper()
	f, err := os.CreateTemp("/dev/shm", "faults")
	if err != nil {
		f, err = os.CreateTemp(t.TempDir(), "faults")
	}
	require.NoError(t, err)
	defer f.Close()
	t.Cleanup(func() { _ = os.Remove(f.Name()) })
	require.NoError(t, f.Truncate(size<<20))
	return f.Name()
}

func (d *disk) mount() ([]byte, error) {
	return exec.Command("mount", "-o", "loop,"+d.options, d.image, d.dir).CombinedOutput()
}

// unmount waits until processes that are ending have closed their files.
func (d *disk) unmount() {
	for range 500 {
		if syscall.Unmount(d.dir, 0) != syscall.EBUSY {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// arm prepares a cut: then the cut is one system call.
func (d *disk) arm(t *testing.T) {
	t.Helper()
	var err error
	d.root, err = os.Open(d.dir)
	require.NoError(t, err)
}

// What a cut leaves of the journal: nothing since the last commit, or everything. The latter leaves files
// whose size reached the disk before their bytes did.
const (
	cutHard    = uint32(2) // EXT4_GOING_FLAGS_NOLOGFLUSH
	cutJournal = uint32(1) // EXT4_GOING_FLAGS_LOGFLUSH
)

// cut cuts the power. From then on every system call that writes fails, and no byte reaches the disk.
func (d *disk) cut(how uint32) error {
	const shutdown = 0x8004587d // FS_IOC_SHUTDOWN, _IOR('X', 125, __u32)
	d.cutAt = time.Now()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, d.root.Fd(), shutdown, uintptr(unsafe.Pointer(&how)))
	_ = d.root.Close()
	d.root = nil
	if errno != 0 {
		return errno
	}
	return nil
}

// restore turns the power on again. No process may use the disk. A cut that waits for a call of a server may not have
// come, as two lives differ by a few calls: then the power is cut now. A process with a mount namespace of its own may
// have copied the mount. Then a new mount shows the file system that has stopped, until that process ends.
func (d *disk) restore(t *testing.T) {
	t.Helper()
	if d.root != nil {
		require.NoError(t, d.cut(cutHard))
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		d.unmount()
		out, err := d.mount()
		require.NoError(t, err, "%s", out)
		if d.works() {
			return
		}
		require.True(t, time.Now().Before(deadline), "another process keeps the disk without power")
	}
}

// sync writes all changes of the disk, and those of no other one: that may take long.
func (d *disk) sync(t *testing.T) {
	t.Helper()
	root, err := os.Open(d.dir)
	require.NoError(t, err)
	defer root.Close()
	_, _, errno := syscall.Syscall(sysSyncFS, root.Fd(), 0, 0)
	require.Zero(t, errno)
}

// works reports whether the disk has power.
func (d *disk) works() bool {
	root, err := os.Open(d.dir)
	if err != nil {
		return false
	}
	defer root.Close()
	return root.Sync() == nil
}

// run runs a program that must succeed.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

// TestDisk tests the disk itself: what a power cut loses, and what it leaves. Another process has a copy of the mount meanwhile.
func TestDisk(t *testing.T) {
	d := newDisk(t, 64, "data=ordered,"+noCommits)
	path := func(name string) string { return filepath.Join(d.dir, name) }
	write := func(name string, sync bool) {
		f, err := os.Create(path(name))
		require.NoError(t, err)
		defer f.Close()
		_, err = f.WriteString("something")
		require.NoError(t, err)
		if sync {
			require.NoError(t, f.Sync())
		}
	}
	write("synced", true)
	write("renamed.tmp", true)
	require.NoError(t, os.Rename(path("renamed.tmp"), path("renamed")))
	dir, err := os.Open(d.dir)
	require.NoError(t, err)
	require.NoError(t, dir.Sync())
	require.NoError(t, dir.Close())
	write("unsynced", false)
	require.NoError(t, os.Rename(path("synced"), path("elsewhere")))
	other := exec.Command("unshare", "--mount", "sh", "-c", "echo copied; sleep 0.5")
	said, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	_, err = said.Read(make([]byte, 1))
	require.NoError(t, err)
	d.arm(t)
	require.NoError(t, d.cut(cutHard))
	require.ErrorIs(t, os.WriteFile(path("later"), nil, 0o600), syscall.EIO)
	d.restore(t)
	require.NoError(t, other.Wait())
	for name, there := range map[string]bool{
		"synced": true, "renamed": true, "unsynced": false, "elsewhere": false, "later": false, "renamed.tmp": false,
	} {
		b, _ := os.ReadFile(path(name))
		require.Equal(t, there, string(b) == "something", name)
	}
}
