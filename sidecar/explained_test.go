package sidecar_test

import (
	"bufio"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/commands"
	web "cellserver/httpapi/line"
	"cellserver/limiters/rules"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestRemainingOverHTTP: the hub counts a question of each second itself, and units are on their way meanwhile. So no answer
// claims more units than are left.
func TestRemainingOverHTTP(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, 1, 1, account.Deny)
			defer w.close()
			nc := w.sidecars[0].connect()
			_, err := nc.Write(resptest.Command("CL.RULE", "SET", "two", "CL.WINDOW", 900, 3600, "AND", "CL.THROTTLE", 9999, 10000, 3600))
			require.NoError(t, err)
			reply, err := readReply(bufio.NewReader(nc))
			require.Equal(t, "+OK", reply, err)
			require.NoError(t, nc.Close())
			local, beside := servertest.New(t), w.sidecars[0].running.Load().sidecar
			lines := web.New(1, nil, func(p commands.Peer) web.Handler { return beside.ConnectLine(local.Server.Connect(p), p) })
			defer lines.Close()
			allowed, last := int64(0), int64(900)
			for range 1000 {
				q := &rules.Question{Quantity: 1}
				q.Begin(1)
				q.Add("two", "k")
				_, err := lines.Ask(t.Context(), q.Words(), q)
				require.NoError(t, err)
				if q.Refusing < 0 {
					allowed++
					last = q.Tightest.Remaining
					require.LessOrEqual(t, last, 900-allowed)
				}
				time.Sleep(5 * time.Millisecond)
			}
			require.LessOrEqual(t, last, int64(20))
			require.Greater(t, allowed, int64(850))
		})
	}
}
