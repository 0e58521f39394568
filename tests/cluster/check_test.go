package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// --cluster-check exits with 1 while a node is missing, and leaves nothing where it is called.
func TestClusterCheckExits(t *testing.T) {
	p := start(t, 3)
	here := t.TempDir()
	check := func(i int) (whole bool) {
		cmd := exec.Command(bin, "--cluster-check", p.nodes[i].addr())
		cmd.Dir = here
		out, err := cmd.CombinedOutput()
		require.Contains(t, string(out), "what to do")
		return err == nil
	}
	p.eventually("not all nodes take part", func() bool { return check(0) && check(1) && check(2) })
	gone := p.follower(0)
	p.kill(gone)
	for i := range p.nodes {
		if i != gone {
			p.eventually("a node that is missing is not noticed", func() bool { return !check(i) })
		}
	}
	p.heal()
	p.eventually("the node is still missing", func() bool { return check(gone) })
	left, err := os.ReadDir(here)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Nodes with ports of their own for other nodes form a cluster, if cluster-nodes has these ports.
func TestPortsForNodes(t *testing.T) {
	p := place(t, 3)
	var list []string
	ports := make([]int, len(p.nodes))
	for i, n := range p.nodes {
		ports[i] = porttest.Free(t)
		list = append(list, fmt.Sprint(n.addr(), "@", ports[i]))
	}
	p.command = func(i int) *exec.Cmd {
		cmd := p.commandOfNode(i)
		at := slices.Index(cmd.Args, "--cluster-nodes")
		cmd.Args = append(append(cmd.Args[:at:at], "--cluster-port", fmt.Sprint(ports[i]), "--cluster-nodes"), list...)
		return cmd
	}
	p.begin()
	p.eventually("not all nodes take part", func() bool { return exec.Command(bin, "--cluster-check", list[0]).Run() == nil })
}
