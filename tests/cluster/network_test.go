package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// network joins network namespaces by a bridge. Each node has a namespace and an address of its own, and the clients are at
// the bridge. So a test can cut the link of a node, or one way between two nodes.
type network struct {
	t      *testing.T
	name   string
	prefix string // of the addresses
	joined int    // how many namespaces there are
}

// networks counts the networks of this process.
var networks int

// startOnNetwork starts a cluster whose nodes are in namespaces of their own, and waits until it serves.
func startOnNetwork(t *testing.T, size int) *processes {
	t.Helper()
	p := placeOnNetwork(t, size)
	p.begin()
	return p
}

// placeOnNetwork makes a network with the places of nodes, which do not run yet.
func placeOnNetwork(t *testing.T, size int) *processes {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	networks++
	id := os.Getpid() + networks
	// 198.18.0.0/15 is for tests of networks.
	w := &network{t: t, name: fmt.Sprintf("cell%x", id&0xffff), prefix: fmt.Sprintf("198.%d.%d.", 18+id>>8&1, id&0xff)}
	w.ip("link", "add", w.name, "type", "bridge")
	t.Cleanup(func() { w.ip("link", "del", w.name) })
	w.ip("addr", "add", w.prefix+"254/24", "dev", w.name)
	w.ip("link", "set", w.name, "up")
	p := &processes{t: t, network: w, more: []string{"--cluster-secret", "a secret of the tests, 32 bytes long", "--protected-mode", "no"}}
	p.command = p.commandOfNode
	for range size {
		p.nodes = append(p.nodes, &node{bin: bin, host: w.address(w.join()), port: 6379, proxy: 6380, dir: t.TempDir()})
	}
	return p
}

// giveNames gives the nodes names, which all nodes know.
func (w *network) giveNames(names []string) {
	w.t.Helper()
	var hosts strings.Builder
	for i, name := range names {
		fmt.Fprintf(&hosts, "%s %s\n", w.address(i), name)
	}
	for i := range names {
		dir := filepath.Join("/etc/netns", w.namespace(i)) // its files take the place of those in /etc
		require.NoError(w.t, os.MkdirAll(dir, 0o755))
		w.t.Cleanup(func() { require.NoError(w.t, os.RemoveAll(dir)) })
		require.NoError(w.t, os.WriteFile(filepath.Join(dir, "hosts"), []byte("127.0.0.1 localhost\n"+hosts.String()), 0o644))
	}
}

// ip runs the program of this name.
func (w *network) ip(args ...string) {
	w.t.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	require.NoError(w.t, err, "ip %q: %s", args, out)
}

func (w *network) namespace(i int) string { return fmt.Sprint(w.name, "-", i) }
func (w *network) address(i int) string   { return fmt.Sprint(w.prefix, i+1) }

// join makes the next namespace, and a link from it to the bridge.
func (w *network) join() (i int) {
	i = w.joined
	w.joined++
	ns, outer, inner := w.namespace(i), fmt.Sprint(w.name, "o", i), fmt.Sprint(w.name, "i", i)
	w.ip("netns", "add", ns)
	w.t.Cleanup(func() { w.ip("netns", "del", ns) })
	w.ip("link", "add", outer, "type", "veth", "peer", "name", inner)
	w.ip("link", "set", outer, "master", w.name, "up")
	w.ip("link", "set", inner, "netns", ns)
	w.ip("-n", ns, "addr", "add", w.address(i)+"/24", "dev", inner)
	w.ip("-n", ns, "link", "set", inner, "up")
	w.ip("-n", ns, "link", "set", "lo", "up")
	return i
}

// command returns a command that runs in the namespace of a node. The program takes the place of ip, so it has its process.
func (w *network) command(i int, argv []string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", w.namespace(i)}, argv...)...)
}

// unplug takes the link of a node down for some time. Clients do not reach the node either.
func (w *network) unplug(i int, d time.Duration) {
	w.t.Helper()
	outer := fmt.Sprint(w.name, "o", i)
	w.ip("link", "set", outer, "down")
	time.Sleep(d)
	w.ip("link", "set", outer, "up")
}

// cut loses all packets from one node to another. mend ends this.
func (w *network) cut(from, to int) (mend func()) {
	w.t.Helper()
	w.ip("-n", w.namespace(from), "route", "add", "blackhole", w.address(to)+"/32")
	return func() {
		w.t.Helper()
		w.ip("-n", w.namespace(from), "route", "del", "blackhole", w.address(to)+"/32")
	}
}

// cutFor loses the packets of some pairs of nodes for some time.
func (w *network) cutFor(d time.Duration, pairs ...[2]int) {
	w.t.Helper()
	for _, pair := range pairs {
		defer w.cut(pair[0], pair[1])()
	}
	time.Sleep(d)
}
