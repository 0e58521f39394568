package sidecar_test

import (
	"bufio"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/resp/resptest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestQuestionsAtTheEnd: a sidecar that ends waits for the questions under way, and gives back the units that they bring.
func TestQuestionsAtTheEnd(t *testing.T) {
	for requests := int64(30); requests < 70; requests++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, 1, 1, account.Deny)
			defer w.close()
			nc := w.sidecars[0].connect()
			in := bufio.NewReader(nc)
			for range requests {
				_, err := nc.Write(resptest.Command("CL.WINDOW", "k", 5000, 3600))
				require.NoError(t, err)
				reply, err := readReply(in)
				require.NoError(t, err)
				require.Contains(t, reply, ":0 ")
			}
			require.NoError(t, nc.Close())
			w.sidecars[0].running.Load().sidecar.SettleUp(context.Background())
			require.Equal(t, 5000-requests, w.do("CL.WINDOW k 5000 3600 0").([]any)[2].(int64))
		})
	}
}

// TestUnitsOfThoseWhoLeft: a user whose last client has left stays until the units of its leases are back at the hub, also if the
// sidecar ends meanwhile. Then the user goes.
func TestUnitsOfThoseWhoLeft(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, 1, 1, account.Deny)
			defer w.close()
			w.do("ACL SETUSER ann on >a ~* +@all")
			nc, allowed := w.sidecars[0].connect(), int64(0)
			in := bufio.NewReader(nc)
			ask := func(command ...any) string {
				_, err := nc.Write(resptest.Command(command...))
				require.NoError(t, err)
				reply, err := readReply(in)
				require.NoError(t, err)
				return reply
			}
			require.Equal(t, "+OK", ask("AUTH", "ann", "a"))
			for range 100 {
				require.Contains(t, ask("CL.WINDOW", "k", 5000, 3600), ":0 ")
				allowed++
				time.Sleep(100 * time.Millisecond) // so the demand ends after 800 ms
			}
			require.NoError(t, nc.Close())
			running := w.sidecars[0].running.Load().sidecar
			time.Sleep(500 * time.Millisecond)
			left := func() int64 { return w.do("CL.WINDOW k 5000 3600 0").([]any)[2].(int64) }
			if ends {
				running.SettleUp(context.Background())
			} else {
				time.Sleep(time.Second)
			}
			require.Equal(t, 5000-allowed, left())
			time.Sleep(500 * time.Millisecond)
			require.Equal(t, 5000-allowed, left(), "nothing is leased again")
			require.NotContains(t, w.do("CLIENT LIST"), " user=ann ")
		})
	}
}

// TestAUserWhoLogsInAgain: a client may name its own user once more, as clients of a pool do. The user goes with its last client.
func TestAUserWhoLogsInAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, 1, account.Deny)
		defer w.close()
		w.do("ACL SETUSER ann on >a ~* +@all")
		nc := w.sidecars[0].connect()
		in := bufio.NewReader(nc)
		for range 3 {
			_, err := nc.Write(resptest.Command("AUTH", "ann", "a"))
			require.NoError(t, err)
			reply, err := readReply(in)
			require.NoError(t, err)
			require.Equal(t, "+OK", reply)
		}
		require.Contains(t, w.do("CLIENT LIST"), " user=ann ")
		require.NoError(t, nc.Close())
		time.Sleep(2 * time.Second)
		require.NotContains(t, w.do("CLIENT LIST"), " user=ann ")
	})
}
