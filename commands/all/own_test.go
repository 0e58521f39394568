package all_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// The names that the rules could have, if they were keys of clients.
var ownNames = []string{"{cl.rules}api", "cl.rules", "{cl.rules}", "api", "cl.own", "{cl.rules}other"}

// attacker makes calls of commands by their documented arguments.
type attacker struct{ *rand.Rand }

func (r attacker) pick(of ...string) string { return of[r.IntN(len(of))] }

// words returns words that have the form of some arguments.
func (r attacker) words(args []commands.Argument) (all []string) {
	for i := range args {
		a := &args[i]
		if a.Optional && r.IntN(3) > 0 {
			continue
		}
		if a.Token != "" {
			all = append(all, a.Token)
		}
		for {
			all = append(all, r.value(a)...)
			if !a.Multiple || r.IntN(2) == 0 {
				break
			}
			if a.MultipleToken {
				all = append(all, a.Token)
			}
		}
	}
	return all
}

func (r attacker) value(a *commands.Argument) []string {
	switch a.Type {
	case commands.ArgumentToken:
		return nil
	case commands.ArgumentBlock:
		return r.words(a.Arguments)
	case commands.ArgumentOneOf:
		one := a.Arguments[r.IntN(len(a.Arguments))]
		one.Optional = false
		return r.words([]commands.Argument{one})
	case "integer", "unix-time":
		return []string{r.pick("1", "1", "60", "31536000", "-1", "0", "2", "16")}
	case "double":
		return []string{r.pick("1", "0.5", "-1")}
	}
	return []string{r.pick(ownNames...)}
}

// reachesKeys reports whether a command uses the keyspace, so that the test calls it. Those that change rules are not called.
func reachesKeys(c *commands.Command) bool {
	switch name := c.FullName(); {
	case strings.HasPrefix(name, "cl.rule|"), strings.HasPrefix(name, "debug|"), c.Run == nil:
		return false
	case name == "eval", name == "evalsha", name == "eval_ro", name == "evalsha_ro": // each command is called in a script, too
		return false
	default:
		return c.HasKeys() || strings.Contains("flushall flushdb swapdb select scan keys randomkey dbsize cl.top exec multi", name)
	}
}

// own returns all that the server's own database has.
func own(s *store.Store, now int64) (all []string) {
	tx := s.NewTx()
	tx.KeepExpired = true
	tx.BeginAll(now, store.Own)
	defer tx.End()
	tx.Each(func(e *store.Entry) {
		all = append(all, fmt.Sprintf("%q until %d", e.Key(), e.ExpireAt()))
		e.Hash().Each(func(field, value []byte) bool {
			all = append(all, fmt.Sprintf("%q %q", field, value))
			return true
		})
	})
	return all
}

// TestNoCommandReachesTheRules calls every command that uses keys, alone, in a transaction and in a script, with the names that the
// rules could have. The rules stay, and CL.CHECK answers.
func TestNoCommandReachesTheRules(t *testing.T) {
	r := attacker{rand.New(randtest.Source(t))}
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.WINDOW 1000000 60")
	h.Do("CL.RULE OVERRIDE api - vip CL.WINDOW 2000000 60")
	before, list, called := own(h.Store, h.Clock.Now()), h.Do("CL.RULE LIST"), 0
	require.Len(t, before, 3)
	intact := func(words ...any) {
		require.Equal(t, before, own(h.Store, h.Clock.Now()), "%q", words)
		require.Equal(t, list, h.Do("CL.RULE LIST"), "%q", words)
		for key, limit := range map[string]int64{"vip": 2000000, "k": 1000000} {
			h.Do("DEL", "api:{"+key+"}:window")
			require.Equal(t, []any{int64(0), limit}, h.Do("CL.CHECK", "api", key).([]any)[:2], "%q", words)
		}
	}
	for _, c := range commands.ByName() {
		if !reachesKeys(c) {
			continue
		}
		called++
		for try := range 24 {
			words := append(strings.Split(c.FullName(), "|"), r.words(c.Docs().Arguments)...)
			call := make([]any, len(words))
			for i, w := range words {
				call[i] = w
			}
			switch how := try % 3; {
			case how == 0 && c.Flags&commands.Blocking == 0: // alone, it may wait for ever
				h.Do(call...)
			case how < 2:
				h.Do("MULTI")
				h.Do(call...)
				h.Do("EXEC")
			default:
				h.Do(append([]any{"EVAL", "return redis.pcall(unpack(ARGV))", len(ownNames)}, append(anysOf(ownNames), call...)...)...)
			}
			h.Do("DISCARD")
			h.Do("SELECT", "0")
		}
		intact(c.FullName())
	}
	require.Greater(t, called, 120, "the table has far more commands")
	for _, line := range []string{"FLUSHDB", "FLUSHALL", "SWAPDB 0 1", "SWAPDB 0 -1", "SELECT -1", "SELECT 16", "MOVE cl.rules -1", "COPY cl.rules x DB -1"} {
		h.Do(line)
		h.Do("SELECT 0")
		intact(line)
	}
	h.Do("SET x 1")
	dump := h.Do("DUMP x")
	for _, name := range ownNames {
		h.Do("RESTORE", name, 1000, dump, "REPLACE")
		h.Do("CL.LOG", name, 5, 31536000)
		h.Do("CL.WINDOW", name+"w", 5, 1)
		intact(name)
	}
	h.Advance(10 * time.Hour * 24 * 366)
	intact("expiry")
	h.Do("CONFIG SET maxmemory-policy allkeys-random maxmemory 4mb")
	for i := range 200 {
		h.Do("SET", fmt.Sprint("filler", i), strings.Repeat("x", 100_000))
	}
	require.NotEqual(t, "0", h.Info("stats")["evicted_keys"])
	intact("eviction")
}

func anysOf(of []string) (all []any) {
	for _, one := range of {
		all = append(all, one)
	}
	return all
}

// TestOwnStateIsNowhere requires that no reply names the server's own keys or counts them.
func TestOwnStateIsNowhere(t *testing.T) {
	h := servertest.New(t, "--notify-keyspace-events", "KEA")
	listener := h.NewClient(t)
	listener.Do("PSUBSCRIBE __key*")
	tracker := h.NewClient(t)
	tracker.Do("HELLO 3")
	tracker.Do("CLIENT TRACKING ON BCAST")
	used := h.Info("memory")["used_memory"]
	h.Do("CL.RULE SET api CL.WINDOW 1000000 60")
	require.Empty(t, listener.TakePushes())
	require.Empty(t, tracker.TakePushes())
	h.Want("DBSIZE", 0)
	h.Want("KEYS *", []any{})
	h.Want("RANDOMKEY", nil)
	require.Equal(t, []any{"0", []any{}}, h.Do("SCAN 0 COUNT 100000"))
	require.NotContains(t, h.Do("INFO keyspace"), "db")
	require.NotEqual(t, used, h.Info("memory")["used_memory"], "they count as memory")
	for _, db := range []string{"-1", "16", "4294967295", "18446744073709551615", "255"} {
		require.IsType(t, resptest.Error(""), h.Do("SELECT", db), db)
	}
	h.Do("SET k v")
	for _, line := range []string{"MOVE k -1", "SWAPDB 0 -1", "SWAPDB -1 0", "COPY k k2 DB -1"} {
		require.IsType(t, resptest.Error(""), h.Do(line), line)
	}
}
