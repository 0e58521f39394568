package topology

import (
	"fmt"
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
		"":             `'' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		"a":            `'a' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		":6379":        `':6379' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		"a:0":          `'a:0' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		"a:65536":      `'a:65536' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		"::1:6379":     `'::1:6379' is not host:port or host:port@peerport, such as 10.0.0.1:6379`,
		"a:6379@":      `'a:6379@' has a wrong peer port: write a:6379@peerport`,
		"a:6379@x":     `'a:6379@x' has a wrong peer port: write a:6379@peerport`,
		"a:6379@70000": `'a:6379@70000' has a wrong peer port: write a:6379@peerport`,
		"a:60000":      `'a:60000' has no peer port, because 70000 is above 65535: write a:60000@peerport`,
	} {
		_, err := ParseAddress(text)
		require.EqualError(t, err, sentence, text)
	}
}

func TestParseAddresses(t *testing.T) {
	list, err := ParseAddresses([]string{"c:1", "A:1", "b:1@5"})
	require.NoError(t, err)
	require.Equal(t, "[a:1 b:1@5 c:1]", fmt.Sprint(list))
	require.Equal(t, "b:5", list[1].Peer())
	require.Equal(t, "b:1", list[1].Client())
	_, err = ParseAddresses([]string{"a:1", "b:1", "A:1"})
	require.EqualError(t, err, "'a:1' stands twice")
	_, err = ParseAddresses([]string{"a:1", "b"})
	require.EqualError(t, err, `'b' is not host:port or host:port@peerport, such as 10.0.0.1:6379`)
	_, err = ParseAddresses(strings.Fields(strings.Repeat("a:1 ", MostNodes+1)))
	require.EqualError(t, err, "at most 9 nodes")
}
