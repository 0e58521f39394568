package transactions

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestExec(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	h.Want("INCR a", servertest.Queued)
	h.Want("GET a", servertest.Queued)
	h.Want("GET a b", commands.WrongArity("get").(commands.Error))
	h.Want("EXEC", errExecAbort)
	h.Want("GET a", nil)

	h.Want("MULTI", ok)
	h.Want("INCR a", servertest.Queued)
	h.Want("CL.THROTTLE a 1 x 1", servertest.Queued)
	h.Want("INCRBY b 5", servertest.Queued)
	h.Want("EXEC", []any{1, commands.Error("Cell error: Store error: Couldn't parse as integer: x"), 5})
	h.Want("EXEC", errExecNoMulti)

	h.Want("MULTI", ok)
	h.Want("EXEC now", commands.Error("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command"))
	h.Want("EXEC", errExecNoMulti)
}

// TestExecThatRunsNothing: after an error or a change of a watched key, the queue takes no more commands. They take no
// memory, and their flags do not count.
func TestExecThatRunsNothing(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	other := h.NewClient(t)
	for _, story := range []struct {
		line string
		why  any // EXEC runs nothing
		exec any
	}{
		{"GET a b", commands.WrongArity("get").(commands.Error), errExecAbort},
		{"GET a", servertest.Queued, resptest.NilArray},
	} {
		h.Want("WATCH w", ok)
		h.Want("MULTI", ok)
		h.Want("GET a", servertest.Queued)
		if story.exec == resptest.NilArray {
			other.Do("INCR w")
		}
		h.Want(story.line, story.why)
		for range 20 {
			h.Send(resptest.Command("SET", "k", make([]byte, 100_000)))
			require.Equal(t, resp.Continue, h.Status)
			require.Equal(t, "+QUEUED\r\n", string(h.Session.Output()))
			h.Session.Sent()
		}
		require.Contains(t, other.Do("CLIENT LIST ID 1"), " multi=1 ")
		other.Want("CLIENT PAUSE 100000 WRITE", ok)
		h.Want("EXEC", story.exec)
		other.Want("CLIENT UNPAUSE", ok)
	}
}

// TestTransactionHasOneTime: a clock that is set inside a transaction counts from its end on.
func TestTransactionHasOneTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v PX 500", ok)
	h.Want("MULTI", ok)
	h.Want("DEBUG CLOCK ADVANCE 1000000000", servertest.Queued)
	h.Want("TIME", servertest.Queued)
	h.Want("PTTL k", servertest.Queued)
	h.Want("EXEC", []any{ok, []string{"1700000000", "123456"}, 500})
	h.Want("PTTL k", -2)
}

// TestInfoInTransaction: counting keys takes no lock that the transaction holds.
func TestInfoInTransaction(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	h.Want("SET a b EX 10", servertest.Queued)
	h.Want("INFO keyspace", servertest.Queued)
	h.Want("DBSIZE", servertest.Queued)
	h.Want("EXEC", []any{ok, "# Keyspace\r\ndb0:keys=1,expires=1,avg_ttl=0\r\n", 1})
}

// TestExecBoundsItsChanges: all changes wait until EXEC ends, so after 64 MB of them it refuses
// commands that need memory. It does so earlier while memory is near maxmemory.
func TestExecBoundsItsChanges(t *testing.T) {
	for maxmemory, copies := range map[string]int{"0": 4, "100mb": 3, "1gb": 4, "42mb": 1} {
		h := servertest.New(t, "--maxmemory", maxmemory)
		h.Want("SETRANGE a 20000000 x", 20000001)
		h.Want("MULTI", ok)
		for range 5 {
			h.Want("COPY a b REPLACE", servertest.Queued)
		}
		h.Want("DEL b", servertest.Queued)
		var want []any
		for range copies {
			want = append(want, 1)
		}
		for range 5 - copies {
			want = append(want, commands.Error("OOM the changes of the transaction take too much memory: split the transaction, or raise maxmemory"))
		}
		h.Want("EXEC", append(want, 1))
		h.Want("COPY a b", 1)
		h.Want("EXISTS b", 1)
	}
}
