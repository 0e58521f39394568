package connection

import (
	"testing"

	"cellserver/resp"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestQuit(t *testing.T) {
	h := servertest.New(t, "--requirepass", "x")
	h.Want("QUIT now", ok)
	require.Equal(t, resp.Close, h.Status)

	other := h.NewClient(t)
	other.Do("AUTH x")
	other.Do("MULTI")
	other.Want("QUIT", ok)
	require.Equal(t, resp.Close, other.Status)
}
