package formation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"a:6379":           {"a", 6379, 16379},
		"Node-A.Local:1":   {"node-a.local", 1, 10001},
		"a:6379@7000":      {"a", 6379, 7000},
		"[::1]:6379":       {"::1", 6379, 16379},
		"[FE80::1]:80@443": {"fe80::1", 80, 443},
		"10.0.0.1:60000@1": {"10.0.0.1", 60000, 1},
	} {
		a, err := ParseAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want, a, text)
		again, err := ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again, "String is read back")
	}
	for text, sentence := range map[string]string{
		"":             `"" is not host:port or host:port@peerport`,
		"a":            `"a" is not host:port or host:port@peerport`,
		":6379":        `":6379" is not host:port or host:port@peerport`,
		"a:0":          `"a:0" is not host:port or host:port@peerport`,
		"a:65536":      `"a:65536" is not host:port or host:port@peerport`,
		"::1:6379":     `"::1:6379" is not host:port or host:port@peerport`,
		"a:6379@":      `"a:6379@" has a wrong peer port: write host:port@peerport`,
		"a:6379@x":     `"a:6379@x" has a wrong peer port: write host:port@peerport`,
		"a:6379@70000": `"a:6379@70000" has a wrong peer port: write host:port@peerport`,
		"a:60000":      `"a:60000" has no peer port, because 70000 is above 65535: write a:60000@peerport`,
	} {
		_, err := ParseAddress(text)
		require.EqualError(t, err, sentence, text)
	}
}

func TestParseAddresses(t *testing.T) {
	list, err := ParseAddresses([]string{"c:1", "A:1", "b:1@5"})
	require.NoError(t, err)
	require.Equal(t, []string{"a:1", "b:1@5", "c:1"}, Strings(list))
	require.Equal(t, "b:5", list[1].Peer())
	require.Equal(t, "b:1", list[1].Client())
	_, err = ParseAddresses([]string{"a:1", "b:1", "A:1"})
	require.EqualError(t, err, "cluster-nodes names a:1 twice")
	_, err = ParseAddresses([]string{"a:1", "b"})
	require.EqualError(t, err, `cluster-nodes: "b" is not host:port or host:port@peerport`)
	_, err = ParseAddresses(strings.Fields(strings.Repeat("a:1 ", mostNodes+1)))
	require.EqualError(t, err, "cluster-nodes names 33 nodes, more than 32")
}

func TestFounderID(t *testing.T) {
	one, _ := ParseAddresses([]string{"a:1", "b:1"})
	same, _ := ParseAddresses([]string{"B:1", "A:1"})
	other, _ := ParseAddresses([]string{"a:1", "b:1@2"})
	require.Regexp(t, "^[0-9a-f]{40}$", FounderID(one, one[0]))
	require.Equal(t, FounderID(one, one[0]), FounderID(same, same[0]))
	require.NotEqual(t, FounderID(one, one[0]), FounderID(one, one[1]))
	require.NotEqual(t, FounderID(one, one[0]), FounderID(other, other[0]))
}
