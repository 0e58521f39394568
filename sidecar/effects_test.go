package sidecar_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/resp/resptest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// effectWorld is a sidecar, and a client of it that sends what others have said about limits.
type effectWorld struct {
	*world
	t *testing.T
	c *resptest.Client
}

func inEffectWorld(t *testing.T, do func(*testing.T, *effectWorld)) {
	synctest.Test(t, func(t *testing.T) {
		w := &effectWorld{newWorld(t, 1, 1, 1, account.Deny), t, nil}
		defer w.close()
		w.do("CL.RULE SET api CL.WINDOW 50000 3600")
		w.do("CL.RULE SET two SCOPE org CL.WINDOW 50000 3600 AND SCOPE user CL.WINDOW 50000 3600")
		w.sidecars[0].line.spike = 0
		w.c = resptest.New(t, w.sidecars[0].connect())
		defer w.c.Close()
		do(t, w)
	})
}

// ask sends commands, and returns the last reply.
func (w *effectWorld) ask(commands string) (reply any) {
	for command := range strings.SplitSeq(commands, ";") {
		reply = w.c.Do(toWords(command)...)
	}
	return reply
}

func toWords(command string) (words []any) {
	for _, word := range strings.Fields(command) {
		words = append(words, word)
	}
	return words
}

// lease makes limits hot, until no question about them is on its way.
func (w *effectWorld) lease(limits ...string) {
	for range 300 {
		for _, limit := range limits {
			w.ask(limit)
		}
	}
	time.Sleep(50 * time.Millisecond)
}

// wantLease requires that a lease answers.
func (w *effectWorld) wantLease(limit, message string) {
	w.t.Helper()
	sent := time.Now()
	require.Contains(w.t, w.ask(limit), int64(-1), "%s: %s", message, limit)
	require.Less(w.t, time.Since(sent), w.sidecars[0].line.base, "%s: %s comes from a lease", message, limit)
}

const (
	aWindow = "CL.WINDOW k 50000 3600"
	aRule   = "CL.CHECK api ann"
	twoKeys = "CL.CHECK two {o}acme {o}ann"
)

// TestLeasesEndWithTheirKey: after a command through a sidecar that deletes the state of a limit, the next request is the first one
// of a new state, although units of the old one are left here. The leases of other keys go on.
func TestLeasesEndWithTheirKey(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		const other = "CL.SLIDING other 50000 3600"
		for _, change := range []struct{ limit, does string }{
			{aWindow, "DEL k"}, {aWindow, "UNLINK none{k} k"}, {aWindow, "EXPIRE k 0"}, {aWindow, "PEXPIREAT k 1"}, {aWindow, "RENAME k j{k}"},
			{aRule, "CL.RULE RESET api ann"}, {twoKeys, "CL.RULE RESET two {o}acme {o}ann"},
			{aWindow, "MULTI; SET a{k} 1; DEL k b{k}; SET b{k} 2; EXEC; RESET"}, {aRule, "MULTI; PING; CL.RULE RESET api ann; EXEC; RESET"},
			{aWindow, "MULTI; SELECT 99; DEL k; EXEC; RESET"}, {aWindow, "FLUSHALL"}, {aWindow, "FLUSHDB"},
		} {
			w.lease(change.limit, other)
			w.ask(change.does)
			if !strings.Contains(change.does, "FLUSH") {
				w.wantLease(other, change.does)
			}
			require.Contains(t, w.ask(change.limit), int64(49999), change.does)
		}
	})
}

// TestLeasesOfScopes: a change of a rule ends its leases, also those of requests that name its scope, and a change may name it, too.
func TestLeasesOfScopes(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		for _, limit := range []string{"CL.CHECK one ann", "CL.CHECK one@org ann"} {
			for does, remaining := range map[string]int64{
				"CL.RULE RESET one ann": 49999, "CL.RULE RESET one@org ann": 49999, "CL.RULE SET one SCOPE org CL.WINDOW 1 3600": 0,
				"CL.RULE OVERRIDE one org ann CL.WINDOW 1 3600": 0,
			} {
				w.ask("CL.RULE DEL one; CL.RULE SET one SCOPE org CL.WINDOW 50000 3600; CL.RULE RESET one ann")
				w.lease(limit, aRule)
				w.ask(does)
				w.wantLease(aRule, does)
				require.Equal(t, remaining, w.ask(limit).([]any)[2], "%s: %s", does, limit)
			}
			w.lease(limit)
			w.ask("CL.RULE DEL one")
			require.Contains(t, w.ask(limit), "no such rule", limit)
		}
	})
}

// TestViewsEndWithTheirRule: in the mode report the next request has the new rule, although the last one was long ago.
func TestViewsEndWithTheirRule(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		w.sidecars[0].running.Load().sidecar.Configure(account.Settings{Lease: 1000, Keys: 1000, Interval: 100})
		for _, does := range []string{"CL.RULE SET api CL.WINDOW 1 3600", "CL.RULE OVERRIDE api - ann CL.WINDOW 1 3600", "CL.RULE DEL api; CL.RULE SET api CL.WINDOW 1 3600"} {
			w.ask("CL.RULE SET api CL.WINDOW 50000 3600")
			w.lease(aRule)
			w.wantLease(aRule, "a view")
			time.Sleep(10 * time.Second)
			w.ask(does)
			require.Equal(t, int64(1), w.ask(aRule).([]any)[1], does)
			w.ask("CL.RULE OVERRIDE api - ann DEL")
		}
	})
}

// TestLeasesStay: a client cannot throw leases away by commands that change nothing for a limit, or keys of another database.
func TestLeasesStay(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		for _, does := range []string{
			"DEL none; EXPIRE none 0; UNLINK none", "DEL ann; SET ann 1; DEL ann", "DEL", "FLUSHDB WRONG", "COPY k j{k}; COPY none{k} k",
			"MULTI; DEL k; FLUSHALL; DISCARD; RESET", "MULTI; DEL k; NOSUCH; EXEC; RESET", "MULTI; DEL none; COPY none{k} k; CL.RULE DEL none; EXEC; RESET",
			"WATCH x; SET x 1; MULTI; DEL k; EXEC; RESET", "SWAPDB 0 0", "SWAPDB 0 99", "DEBUG SET-ACTIVE-EXPIRE 1; DEBUG JMAP; DEBUG LOG x; RESET",
			"CL.RULE DEL none", "CL.RULE SET ap CL.WINDOW 1 1; CL.RULE DEL ap", "CL.RULE SET api2 CL.WINDOW 1 1", "CL.RULE SET api NOSUCH 1 1",
			"CL.RULE OVERRIDE api2 - ann BLOCK", "CL.RULE OVERRIDE api - ann DEL", "CL.RULE RESET api bob", "CL.RULE RESET api2 ann", "CL.RULE RESET none ann",
			"MULTI; CL.RULE SET ap CL.WINDOW 1 1; CL.RULE DEL ap; CL.RULE DEL none; EXEC; RESET",
		} {
			w.lease(aWindow, aRule, twoKeys)
			w.ask(does)
			for _, limit := range []string{aWindow, aRule, twoKeys} {
				w.wantLease(limit, does)
			}
		}
		w.lease(aWindow, aRule, twoKeys)
		w.ask("CL.RULE SET default CL.WINDOW 5 1")
		w.wantLease(aWindow, "only rules are another limit now")
	})
}

// TestLeasesEndTogether: however many keys a command deletes, the leases of others go on. A transaction may have so many that they
// are not kept: then all limits are forgotten.
func TestLeasesEndTogether(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		many := "DEL" + strings.Repeat(" none{k}", 20_000)
		w.lease(aWindow, aRule)
		w.ask(many + " k")
		w.wantLease(aRule, "another key")
		require.Contains(t, w.ask(aWindow), int64(49999))
		for _, n := range []int{13, 14} {
			w.lease(aWindow, aRule)
			w.ask("MULTI" + strings.Repeat(";"+many, n))
			w.ask("DISCARD; RESET")
			w.wantLease(aRule, "nothing has run")
			w.ask("MULTI" + strings.Repeat(";"+many, n) + ";EXEC;RESET")
			sent := time.Now()
			w.ask(aRule)
			require.Equal(t, n == 14, time.Since(sent) > w.sidecars[0].line.base, n)
		}
	})
}

// TestRefusalsFromBefore: a refusal from before a change of its key, whose reply comes after that of the change, is not repeated.
func TestRefusalsFromBefore(t *testing.T) {
	inEffectWorld(t, func(t *testing.T, w *effectWorld) {
		line := w.sidecars[0].line
		slow := func(by time.Duration) {
			line.mu.Lock()
			line.slow = by
			line.mu.Unlock()
		}
		other := resptest.New(t, w.sidecars[0].connect())
		defer other.Close()
		other.Do("GET", "x") // opens its connection to the hub
		w.ask("CL.RULE SET once CL.WINDOW 1 3600")
		for _, change := range []struct{ limit, does string }{
			{"CL.WINDOW one 1 3600", "DEL one"}, {"CL.CHECK once ann", "CL.RULE RESET once ann"},
			{"CL.CHECK once ann", "CL.RULE OVERRIDE once - ann CL.WINDOW 2 3600"},
		} {
			w.ask(change.limit)
			answered := make(chan any)
			go func() { answered <- other.Do(toWords(change.limit)...) }()
			time.Sleep(line.base / 2)
			slow(20 * time.Millisecond)
			time.Sleep(line.base) // the hub has refused
			slow(0)
			w.ask(change.does)
			require.Equal(t, int64(1), (<-answered).([]any)[0], change.does)
			require.Equal(t, int64(0), w.ask(change.limit).([]any)[0], change.does)
		}
	})
}
