package server_test

import (
	"bytes"
	"testing"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestWhatRedis8SendsForHINCRBYFLOAT: the link and the log of a Redis 8 have HSETEX in its place.
func TestWhatRedis8SendsForHINCRBYFLOAT(t *testing.T) {
	h := servertest.New(t)
	words := func(line string) [][]byte { return bytes.Fields([]byte(line)) }
	const expiring = "HSETEX h PXAT 1795872062949 FIELDS 1 a 9"
	f := h.Server.NewFollower(&servertest.Peer{T: t}, "master", nil)
	h.Server.SetFollower(f)
	f.Begin(0)
	for _, line := range []string{
		"HSETEX h KEEPTTL FIELDS 1 a 2.5",
		"MULTI", "hsetex h keepttl fields 1 b 3", "HSETEX h KEEPTTL FIELDS 1 a 3.5", "EXEC",
	} {
		require.NoError(t, f.Apply(t.Context(), words(line)), line)
	}
	require.ErrorContains(t, f.Apply(t.Context(), words(expiring)), "HSETEX cannot run here")
	h.Server.SetFollower(nil)
	f.Close()
	h.Want("HMGET h a b", []any{"3.5", "3"})

	replay := h.Server.Replayer()
	require.NoError(t, replay(0, words("HSETEX h KEEPTTL FIELDS 1 a 4.5")))
	require.ErrorContains(t, replay(0, words(expiring)), "unknown command 'HSETEX'")
	h.Want("HMGET h a b", []any{"4.5", "3"})
}
