package limits

import (
	"slices"
	"testing"

	_ "cellserver/commands/scripting"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// setKeys are the keys of the effects of committed transactions.
type setKeys struct{ keys []string }

func (o *setKeys) Committed(_ *store.Tx, effects []store.Effect) {
	for i := range effects {
		o.keys = append(o.keys, string(effects[i].Key))
	}
}

// TestRulesInScripts: several calls of one script are logged with the keys of their own states.
func TestRulesInScripts(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 50 60")
	h.Do("CL.CHECK r warm")
	var seen setKeys
	h.Store.Observe(&seen)
	h.Do("EVAL", "redis.call('CL.CHECK','r','{t}a') redis.call('CL.CHECK','r','{t}b')", "1", "{t}")
	require.Equal(t, []string{"{t}a:r:window", "{t}b:r:window"}, seen.keys)
	seen.keys = nil
	h.Do("EVAL", "redis.call('CL.MCHECK',1,'r','{u}a') redis.call('CL.MCHECK',1,'r','{u}b')", "1", "{u}")
	require.Equal(t, []string{"{u}a:r:window", "{u}b:r:window"}, seen.keys)
	seen.keys = nil
	h.Do("EVAL", "redis.call('CL.RESERVE','r','{v}a',1,'i',60) redis.call('CL.RESERVE','r','{v}b',1,'i',60)", "1", "{v}")
	slices.Sort(seen.keys)
	require.Equal(t, []string{"{v}a:r:reserved", "{v}a:r:window", "{v}b:r:reserved", "{v}b:r:window"}, seen.keys)
}

// TestRulesThatScriptsChange: a script sees the rules that it has changed.
func TestRulesThatScriptsChange(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 50 60")
	h.Do("CL.CHECK r warm")
	for _, name := range []string{"r", "new"} {
		reply := h.Do("EVAL", "redis.call('CL.RULE','SET',ARGV[1],'CL.WINDOW','7','60') return redis.call('CL.CHECK',ARGV[1],'k')", 0, name)
		require.EqualValues(t, 7, reply.([]any)[1], name)
	}
}

// TestRulesAfterScripts: a check in EXEC behind a script names the keys of its own states.
func TestRulesAfterScripts(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 50 60")
	h.Do("CL.CHECK r warm")
	h.Do("MULTI")
	h.Do("EVAL", "return redis.call('CL.CHECK','r','{t}b')", "0")
	h.Do("CL.CHECK r user1")
	h.Do("EXEC")
	h.Want("GET r:{user1}:window", "1")

	h.Do("MULTI")
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.WINDOW 50 60")
	h.Do("EVAL", "return redis.call('CL.CHECK','r','u1','u2')", "0")
	h.Do("EXEC")
	h.Want("GET r@a:{u1}:window", "1")
	h.Want("GET r@b:{u2}:window", "1")
}
