package entry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEpochs(t *testing.T) {
	for _, groups := range []uint8{1, 2, 4, 8, 16} {
		e := Epoch{Cluster: [20]byte{1, 19: 2}, Groups: groups, Databases: 65535, Features: 513}
		got, err := ParseEpoch(AppendEpoch(nil, e))
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
	for want, body := range map[string][]byte{
		"the body of the epoch has 24 bytes, and it must have 25":    make([]byte, 24),
		"the body of the epoch has 26 bytes, and it must have 25":    make([]byte, 26),
		"the epoch has 3 groups, and a cluster has 1, 2, 4, 8 or 16": AppendEpoch(nil, Epoch{Groups: 3, Databases: 1}),
		"the epoch has no databases, and a cluster has at least 1":   AppendEpoch(nil, Epoch{Groups: 1}),
	} {
		_, err := ParseEpoch(body)
		require.EqualError(t, err, want)
	}
}

func TestLevels(t *testing.T) {
	level, err := ParseLevel(AppendLevel(nil, 513))
	require.NoError(t, err)
	require.EqualValues(t, 513, level)
	for _, body := range [][]byte{nil, {1}, {1, 2, 3}} {
		_, err := ParseLevel(body)
		require.ErrorContains(t, err, "and it must have 2")
	}
}

func TestNodes(t *testing.T) {
	n := Node{ID: anID, Host: "node-1.example", Port: 6379, PeerPort: 16379, Zone: "west", Features: 3}
	body, err := AppendNode([]byte("before"), n)
	require.NoError(t, err)
	got, err := ParseNode(body[len("before"):])
	require.NoError(t, err)
	require.Equal(t, n, got)

	wrong := func(do func(n *Node)) Node {
		other := n
		do(&other)
		return other
	}
	for want, n := range map[string]Node{
		`the id "ABC" of the node is not 40 hexadecimal digits in lower case`:           wrong(func(n *Node) { n.ID = "ABC" }),
		"the host of node " + anID + " has 0 bytes, and it must have 1 to 255":          wrong(func(n *Node) { n.Host = "" }),
		"the host of node " + anID + " has 256 bytes, and it must have 1 to 255":        wrong(func(n *Node) { n.Host = strings.Repeat("h", 256) }),
		"the zone of node " + anID + " has 256 bytes, more than 255":                    wrong(func(n *Node) { n.Zone = strings.Repeat("z", 256) }),
		"node " + anID + " has port 0 and peer port 16379, and both must be 1 to 65535": wrong(func(n *Node) { n.Port = 0 }),
		"node " + anID + " has port 6379 and peer port 0, and both must be 1 to 65535":  wrong(func(n *Node) { n.PeerPort = 0 }),
	} {
		kept, err := AppendNode([]byte("kept"), n)
		require.EqualError(t, err, want)
		require.Equal(t, "kept", string(kept))
	}
}

func TestNodesThatCannotBeRead(t *testing.T) {
	body, err := AppendNode(nil, Node{ID: anID, Host: "h", Port: 1, PeerPort: 2})
	require.NoError(t, err)
	for want, body := range map[string]string{
		"the node cannot be read: ":               "{",
		`unknown field "weight"`:                  strings.Replace(string(body), `"host"`, `"weight":1,"host"`, 1),
		"the node has bytes after its end":        string(body) + "{}",
		"the node has 4097 bytes, more than 4096": string(body) + strings.Repeat(" ", 4097-len(body)),
		"the id \"\" of the node":                 "{}",
	} {
		_, err := ParseNode([]byte(body))
		require.ErrorContains(t, err, want)
	}
}

func TestGoneNodes(t *testing.T) {
	body, err := AppendGone([]byte("before"), anID)
	require.NoError(t, err)
	id, err := ParseGone(body[len("before"):])
	require.NoError(t, err)
	require.Equal(t, anID, id)
	for _, wrong := range []string{"", anID[1:], anID + "0", strings.ToUpper(anID), strings.Repeat("g", 40)} {
		_, err := ParseGone([]byte(wrong))
		require.ErrorContains(t, err, "is not 40 hexadecimal digits in lower case")
		_, err = AppendGone(nil, wrong)
		require.Error(t, err)
	}
}
