package commands

import (
	"testing"

	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

func TestQuit(t *testing.T) {
	h := newHarness(t, "--requirepass", "x")
	h.want("QUIT now", ok)
	require.Equal(t, resp.Close, h.status)

	other := h.client(t)
	other.do("AUTH x")
	other.do("MULTI")
	other.want("QUIT", ok)
	require.Equal(t, resp.Close, other.status)
}
