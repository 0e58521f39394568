package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node with a full disk leaves the cluster and says so. The others go on. With space again, it comes back.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	for _, leads := range []bool{false, true} {
		t.Run(fmt.Sprint("of the leader: ", leads), func(t *testing.T) {
			p := start(t, 3)
			i := p.follower(0)
			if leads {
				i = p.awaitLeader()
			}
			p.moveToSmallDisk(t, i)
			if leads {
				p.lead(i)
			}
			l := begin(p, 1)
			free := p.fill(t, i)
			p.eventually("the node does not notice its full disk", func() bool {
				reply, err := p.ask(i, "GET", "a")
				text := fmt.Sprint(reply)
				return err == nil && (strings.HasPrefix(text, "MISCONF ") || strings.HasPrefix(text, "CLUSTERDOWN "))
			})
			p.eventually("the others do not go on", func() bool {
				leader := p.leader()
				return leader >= 0 && leader != i
			})
			free()
			p.heal()
			l.end(t)
		})
	}
}

// The disks of all nodes fill for three seconds. The nodes say so, and go on by themselves.
func TestFullDisks(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	for _, durability := range []string{"os", "fsync"} {
		t.Run(durability, func(t *testing.T) {
			p := start(t, 3, "--cluster-durability", durability)
			for i := range p.nodes {
				p.moveToSmallDisk(t, i)
			}
			l := begin(p, 1)
			var room []func()
			for i := range p.nodes {
				room = append(room, p.fill(t, i))
			}
			p.eventually("no node says that its disk is full", func() bool {
				for i := range p.nodes {
					info, err := p.ask(i, "INFO", "persistence")
					if err == nil && strings.Contains(fmt.Sprint(info), "aof_last_write_status:err") {
						err := exec.Command(bin, "--ping", "--bind", p.nodes[i].host, "--port", fmt.Sprint(p.nodes[i].port)).Run()
						return err != nil
					}
				}
				return false
			})
			time.Sleep(3 * time.Second)
			for _, free := range room {
				free()
			}
			begun := time.Now()
			p.eventually("no change is possible", func() bool {
				leader := p.leader()
				if leader < 0 {
					return false
				}
				reply, err := p.ask(leader, "INCR", "counter")
				n, is := reply.(int64)
				return err == nil && is && n > 0
			})
			require.Less(t, time.Since(begun), time.Minute)
			t.Log("changes are possible after", time.Since(begun).Round(time.Millisecond))
			p.heal()
			l.end(t)
			for i := range p.nodes {
				p.answers(i)
			}
		})
	}
}

// A node that has its term and its id, and has lost its log, does not start. An empty directory lets it join again.
func TestALostLogIsRefused(t *testing.T) {
	p := start(t, 3, "--cluster-durability", "fsync")
	i := p.follower(0)
	for range 50 {
		p.increment("counter")
	}
	p.heal()
	p.kill(i)
	raft := filepath.Join(p.nodes[i].dir, "raft")
	require.NoError(t, os.RemoveAll(filepath.Join(raft, "log")))
	p.run(i)
	require.Error(t, p.nodes[i].running.Wait(), "a supervisor must see that it has failed")
	p.nodes[i].running = nil
	text, err := os.ReadFile(p.nodes[i].log.Name())
	require.NoError(t, err)
	require.Contains(t, string(text), "the log ends with entry 0, and this node has acknowledged entries up to")
	require.Contains(t, string(text), "remove the directory "+raft)
	require.NoError(t, os.RemoveAll(raft))
	p.heal()
}

// smallDisk is the size of the file system of a node.
const smallDisk = "size=4m"

// moveToSmallDisk makes a node go on with the same files on a small file system.
func (p *processes) moveToSmallDisk(t *testing.T, i int) {
	t.Helper()
	n, dir := p.nodes[i], filepath.Join(t.TempDir(), "small")
	require.NoError(t, os.Mkdir(dir, 0o755))
	p.stop(i)
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, smallDisk))
	t.Cleanup(func() {
		if n.running != nil {
			p.kill(i)
		}
		require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	})
	out, err := exec.Command("cp", "-a", n.dir+"/.", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	n.dir = dir
	p.heal()
}

// lead makes a node the leader.
func (p *processes) lead(i int) {
	p.t.Helper()
	p.eventually("the node does not lead", func() bool {
		if p.leader() == i {
			return true
		}
		_, _ = p.ask(i, "CLUSTER", "FAILOVER") // it fails while there is no leader
		return false
	})
}

// fill fills the file system of a node. free gives the space back.
func (p *processes) fill(t *testing.T, i int) (free func()) {
	t.Helper()
	path := filepath.Join(p.nodes[i].dir, "filler")
	f, err := os.Create(path)
	require.NoError(t, err)
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	require.True(t, errors.Is(err, syscall.ENOSPC), err)
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}
