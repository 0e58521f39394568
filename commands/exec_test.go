package commands

import "testing"

func TestExec(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("GET a", isQueued)
	h.want("GET a b", wrongArity("get").(Error))
	h.want("EXEC", errExecAbort)
	h.want("GET a", nil)

	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("CL.THROTTLE a 1 x 1", isQueued)
	h.want("INCRBY b 5", isQueued)
	h.want("EXEC", []any{1, Error("Cell error: Store error: Couldn't parse as integer: x"), 5})
	h.want("EXEC", errExecNoMulti)

	h.want("MULTI", ok)
	h.want("EXEC now", Error("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command"))
	h.want("EXEC", errExecNoMulti)
}

// TestTransactionHasOneMoment holds that a clock set inside a transaction counts from its end on.
func TestTransactionHasOneMoment(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v PX 500", ok)
	h.want("MULTI", ok)
	h.want("DEBUG CLOCK ADVANCE 1000000000", isQueued)
	h.want("TIME", isQueued)
	h.want("PTTL k", isQueued)
	h.want("EXEC", []any{ok, []string{"1700000000", "123456"}, 500})
	h.want("PTTL k", -2)
}

// TestInfoInTransaction holds that counting keys takes no lock that the transaction has.
func TestInfoInTransaction(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("SET a b EX 10", isQueued)
	h.want("INFO keyspace", isQueued)
	h.want("DBSIZE", isQueued)
	h.want("EXEC", []any{ok, "# Keyspace\r\ndb0:keys=1,expires=1,avg_ttl=0\r\n", 1})
}
