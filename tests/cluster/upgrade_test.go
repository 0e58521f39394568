package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// releases returns the paths of two programs of cellserver. The newer one has a higher feature level. The older one is the
// program under test, and the newer one a build with a higher FeatureLevel. If CLUSTER_OLD_BIN names an older release, the
// newer one is the program under test.
func releases(t *testing.T) (older, newer string) {
	if path := os.Getenv("CLUSTER_OLD_BIN"); path != "" {
		return path, bin
	}
	source, err := filepath.Abs("../../cluster/group/level.go")
	require.NoError(t, err)
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	const now, next = "\tFeatureLevel = 7\n", "\tFeatureLevel = 8\n"
	require.Equal(t, 1, strings.Count(string(text), now))
	dir := t.TempDir()
	higher, overlay, path := filepath.Join(dir, "level.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "cellserver")
	require.NoError(t, os.WriteFile(higher, []byte(strings.Replace(string(text), now, next, 1)), 0o644))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: higher}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, list, 0o644))
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", path, "cellserver/cmd/cellserver").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin, path
}

// levels asks a node for the level of the cluster, and for the level that the node knows.
func (p *processes) levels(i int) (level, known int) {
	p.t.Helper()
	reply, err := p.ask(i, "INFO", "cluster")
	require.NoError(p.t, err)
	field := func(name string) int {
		_, rest, found := strings.Cut(fmt.Sprint(reply), name+":")
		require.True(p.t, found, "%v", reply)
		number, _, _ := strings.Cut(rest, "\r\n")
		n, err := strconv.Atoi(number)
		require.NoError(p.t, err)
		return n
	}
	return field("cluster_feature_level"), field("cluster_feature_level_known")
}

// check returns what --cluster-check says about a node.
func (p *processes) check(i int) string {
	ctx, stop := context.WithTimeout(context.Background(), answer)
	defer stop()
	out, _ := exec.CommandContext(ctx, bin, "--cluster-check", p.nodes[i].addr()).CombinedOutput()
	require.Contains(p.t, string(out), "what to do") // it exits with 1 while a node is missing
	return string(out)
}

// logged returns what a node has written to its log.
func (p *processes) logged(i int) string {
	text, err := os.ReadFile(p.nodes[i].log.Name())
	require.NoError(p.t, err)
	return string(text)
}

// The test replaces old programs one after the other under load, and the level rises after the last one. Then the cluster
// refuses an old program, and continues without it.
func TestARollingUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program once more")
	}
	r, seed := random(t)
	p := place(t, 3)
	old, newest := releases(t)
	for _, n := range p.nodes {
		n.bin = old
	}
	p.begin()
	l := begin(p, seed)
	for at, i := range r.Perm(len(p.nodes)) {
		if r.IntN(2) == 0 {
			p.kill(i)
		} else {
			p.stop(i)
		}
		p.nodes[i].bin = newest
		p.heal()
		if at < len(p.nodes)-1 {
			p.eventually("--cluster-check does not show that the upgrade has not ended", func() bool {
				level, known := p.levels(i)
				require.Less(t, level, known, "old programs are members")
				return strings.Contains(p.check(i), fmt.Sprintf("level     %d, until all nodes know %d", level, known))
			})
			p.eventually("the log does not ask for an upgrade of the other nodes", func() bool { return strings.Contains(p.logged(i), "upgrade the other nodes") })
		}
		time.Sleep(time.Second) // meanwhile clients write
	}
	p.eventually("the level does not rise", func() bool {
		for i := range p.nodes {
			if level, known := p.levels(i); level < known {
				return false
			}
		}
		return true
	})
	p.eventually("nobody is told", func() bool { return strings.Contains(p.logged(0), "the feature level of the cluster has risen") })
	time.Sleep(time.Second) // meanwhile clients write

	back := p.follower(r.IntN(2))
	p.stop(back)
	p.nodes[back].bin = old
	p.run(back)
	p.eventually("the old program is not refused", func() bool { return strings.Contains(p.logged(back), "install the newer release") })
	p.kill(back)
	p.nodes[back].bin = newest
	p.heal()
	l.end(t)
}
