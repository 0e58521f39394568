package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/pausetest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// The disk of a node hangs: its writes wait, and do not fail. Nobody waits for it for long.
func TestADiskThatHangs(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a file system and freezing it needs root")
	}
	for _, durability := range []string{"os", "fsync"} {
		p := start(t, 3, "--cluster-durability", durability)
		dirs := make([]string, len(p.nodes))
		for i := range p.nodes {
			dirs[i] = p.moveToFrozenDisk(t, i)
		}
		for _, test := range []struct {
			leads       bool
			stall, most time.Duration
		}{
			{true, 300 * time.Millisecond, 2500 * time.Millisecond},
			{true, 3 * time.Second, 2500 * time.Millisecond},
			{true, 10 * time.Second, 2500 * time.Millisecond},
			{false, 3 * time.Second, 2500 * time.Millisecond}, // nobody waits for it; a busy machine pauses, too
		} {
			t.Run(fmt.Sprint(durability, " leader ", test.leads, " ", test.stall), func(t *testing.T) {
				p.heal()
				i := p.awaitLeader()
				if !test.leads {
					i = p.follower(0)
				}
				p.eventually("no leader forgets all", func() bool {
					reply, err := p.ask(p.awaitLeader(), "FLUSHALL")
					return err == nil && reply == resptest.Simple("OK")
				})
				machine := pausetest.Start(t)
				l := begin(p, 1)
				time.Sleep(time.Second)
				freeze(t, dirs[i], true)
				time.Sleep(test.stall)
				freeze(t, dirs[i], false)
				time.Sleep(time.Second)
				l.end(t)
				for _, c := range l.clients {
					require.LessOrEqual(t, c.longest, test.most+machine.Allows(1500*time.Millisecond), "after a pause of the machine, the nodes elect again")
				}
			})
		}
		p.end()
	}
}

// moveToFrozenDisk makes a node go on with the same files on a file system that can be frozen, and returns where it is.
func (p *processes) moveToFrozenDisk(t *testing.T, i int) (mount string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if f, err := os.CreateTemp("/dev/shm", "cluster"); err == nil {
		require.NoError(t, f.Close())
		t.Cleanup(func() { _ = os.Remove(f.Name()) })
		image = f.Name()
	}
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, 32<<20))
	out, err := exec.Command("mkfs.ext4", "-q", "-F", image).CombinedOutput()
	require.NoError(t, err, string(out))
	mount = filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(mount, 0o755))
	out, err = exec.Command("mount", "-o", "loop", image, mount).CombinedOutput()
	if err != nil {
		t.Skipf("a file cannot be mounted here, which takes loop devices: %s", out)
	}
	n := p.nodes[i]
	t.Cleanup(func() {
		_ = exec.Command("fsfreeze", "-u", mount).Run() // it is an error if the disk is not frozen
		if n.running != nil {
			p.kill(i)
		}
		require.NoError(t, syscall.Unmount(mount, syscall.MNT_DETACH))
	})
	p.stop(i)
	dir := filepath.Join(mount, "data")
	out, err = exec.Command("cp", "-a", n.dir, dir).CombinedOutput()
	require.NoError(t, err, string(out))
	n.dir = dir
	p.heal()
	return mount
}

// freeze makes all writes to a file system wait, or lets them go on.
func freeze(t *testing.T, mount string, frozen bool) {
	t.Helper()
	out, err := exec.Command("fsfreeze", map[bool]string{true: "-f", false: "-u"}[frozen], mount).CombinedOutput()
	require.NoError(t, err, string(out))
}
