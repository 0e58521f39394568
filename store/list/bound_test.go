package list

import (
	"fmt"
	"testing"

	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// TestAChangeCopiesAPath counts what a change of a shared list of 300,000 elements copies: the nodes of one way down, or of
// two, and not the list.
func TestAChangeCopiesAPath(t *testing.T) {
	var c value.Collection
	for i := range 300_000 {
		o := value.Operands{Value: fmt.Append(nil, "e", i)}
		c, _ = PushLast.Apply(c, &o, &value.DefaultLimits)
	}
	for _, how := range []*value.Change{PushFirst, PushLast, PopFirst, PopLast, Set, Insert, Remove, Trim} {
		o := value.Operands{Value: []byte("e150000"), More: []byte("new"), Int: 1}
		switch how {
		case Set:
			o.Int = 150_000
		case Trim:
			o.Int, o.End = 100_000, 199_999
		}
		fork, _ := c.Fork()
		changed, did := how.Apply(fork, &o, &value.DefaultLimits)
		require.True(t, did.Changed, how.Verb)
		g := changed.(*large)
		nodes, bytes := g.copied(g.root)
		require.LessOrEqual(t, nodes, 10, how.Verb)
		require.Less(t, bytes, int64(8<<10), how.Verb)
		require.Equal(t, 300_000, c.Len(), "the original stays as it is")
	}
}

// copied returns how many nodes only this list has, and their bytes.
func (g *large) copied(n *node) (nodes int, bytes int64) {
	if n.owner != g.owner {
		return 0, 0
	}
	nodes, bytes = 1, nodeBytes+int64(n.room)
	if n.kids != nil {
		bytes = innerBytes
	}
	for _, kid := range n.kids {
		k, b := g.copied(kid)
		nodes, bytes = nodes+k, bytes+b
	}
	return nodes, bytes
}
