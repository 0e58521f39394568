package all_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// keyShapes are names of keys with a number. Braces decide where the states of a key are.
var keyShapes = []string{"k%d:x", "{k%d:x}", "k%d:x{", "a{b}k%d:x", "}k%d:x"}

// numbered replaces each K of a call by a key of its own, and returns the call and the keys.
func numbered(call, shape string) (words []any, keys []string) {
	for _, word := range strings.Fields(call) {
		if word == "K" {
			word = fmt.Sprintf(shape, len(keys)+1)
			keys = append(keys, word)
		}
		words = append(words, word)
	}
	return words, keys
}

// mark is the part of a key that the names of its states have, too.
func mark(i int) string { return fmt.Sprintf("k%d:x", i+1) }

// caller is a server with an operator and a caller with few rights.
type caller struct {
	*servertest.Harness
	t    *testing.T
	user *servertest.Client
}

func newCaller(t *testing.T) *caller {
	c := &caller{Harness: servertest.New(t), t: t}
	c.user = c.NewClient(t)
	c.Want("ACL SETUSER u on nopass", servertest.OK)
	c.user.Want("AUTH u x", servertest.OK)
	return c
}

// may gives the caller all commands, and these keys alone.
func (c *caller) may(keys []string) {
	words := []any{"ACL", "SETUSER", "u", "reset", "on", "nopass", "&*", "+@all"}
	for _, key := range keys {
		words = append(words, "~"+key)
	}
	require.Equal(c.t, servertest.OK, c.Do(words...))
}

// snapshot returns all keys with the seconds since their last use.
func (c *caller) snapshot() map[string]int64 {
	all := map[string]int64{}
	for _, key := range c.Do("KEYS", "*").([]any) {
		if key != "cl.rules" {
			all[key.(string)] = c.Do("OBJECT", "IDLETIME", key).(int64)
		}
	}
	return all
}

// touched runs a call as the operator, and returns the keys that it has read or changed.
func (c *caller) touched(call []any) (reply any, keys []string) {
	c.Do(call...) // makes the keys
	c.Advance(time.Second)
	before := c.snapshot()
	reply = c.Do(call...)
	after := c.snapshot()
	for key := range before {
		if idle, stays := after[key]; !stays || idle == 0 {
			keys = append(keys, key)
		}
	}
	for key := range after {
		if _, was := before[key]; !was {
			keys = append(keys, key)
		}
	}
	return reply, keys
}

// refused requires that the caller gets no further with a call, in all ways to make it, and that nothing
// changes.
func (c *caller) refused(call []any, missing string) {
	c.t.Helper()
	before := c.snapshot()
	says := func(reply any, refusal string) {
		c.t.Helper()
		require.Regexp(c.t, refusal, fmt.Sprint(reply), "%q without ~%s", call, missing)
	}
	cmd := commands.Lookup([]byte(call[0].(string)))
	says(c.user.Do(call...), "^(EXECABORT .*)?NOPERM .* one of the keys")
	says(c.Do(append([]any{"ACL", "DRYRUN", "u"}, call...)...), "^This user has no permissions to access the '.*' key$")
	if cmd.Flags&commands.NoMulti == 0 && cmd.Flags&commands.Immediate == 0 {
		c.user.Do("MULTI")
		says(c.user.Do(call...), "^NOPERM .* one of the keys")
		says(c.user.Do("EXEC"), "^EXECABORT")
	}
	if cmd.Flags&commands.NoScript == 0 {
		const script = "return {redis.acl_check_cmd(unpack(ARGV)), redis.pcall(unpack(ARGV))}"
		got := c.user.Do(append([]any{"EVAL", script, 0}, call...)...).([]any)
		require.Equal(c.t, resptest.NilBulk, got[0], "%q", call)
		says(got[1], "access at least one of the keys")
	}
	require.Equal(c.t, before, c.snapshot(), "%q without ~%s", call, missing)
}

// check requires that each key of a call is checked, and that the call touches no other key. It returns how
// many keys the call touches, -1 if it is an error.
func (c *caller) check(call []any, keys []string) (n int) {
	c.t.Helper()
	reply, touched := c.touched(call)
	_, failed := reply.(resptest.Error)
	for _, state := range touched {
		require.True(c.t, slices.ContainsFunc(keys, func(key string) bool {
			return strings.Contains(state, mark(slices.Index(keys, key)))
		}), "%q touches %s", call, state)
	}
	for i, key := range keys {
		c.may(slices.Delete(slices.Clone(keys), i, i+1))
		c.refused(call, key)
	}
	c.may(keys)
	own, _ := c.user.Do(call...).(resptest.Error)
	require.NotContains(c.t, string(own), "NOPERM", "%q", call)
	if len(keys) > 0 {
		var want []any
		for _, key := range keys {
			want = append(want, key)
		}
		require.Equal(c.t, want, c.Do(append([]any{"COMMAND", "GETKEYS"}, call...)...), "%q", call)
	}
	if failed {
		return -1
	}
	return len(touched)
}

// seedOf is the type of value that the keys of a group have.
var seedOf = map[commands.Group]string{commands.GroupString: "SET %s 1", commands.GroupHash: "HSET %s f 1", commands.GroupSet: "SADD %s m",
	commands.GroupList: "RPUSH %s m n" + strings.Repeat(" m", 30), commands.GroupSortedSet: "ZADD %s 1 m" + members(30), commands.GroupGeneric: "SET %s 1"}

// members are so many that a command which waits for them finds some each time.
func members(n int) (words string) {
	for i := range n {
		words += fmt.Sprintf(" 2 m%d", i)
	}
	return words
}

// tableCalls returns calls of a command: those of the list for redis-server, or one of callOf.
func tableCalls(cmd *commands.Command) (calls []string) {
	name := strings.ReplaceAll(cmd.FullName(), "|", " ")
	for _, line := range aclCalls {
		for call := range strings.SplitSeq(line, "\n") {
			if strings.HasPrefix(strings.ToLower(call)+" ", name+" ") {
				calls = append(calls, call)
			}
		}
	}
	if calls != nil {
		return calls
	}
	var words []string
	for _, word := range callOf(cmd) {
		if word == "key" {
			word = "1"
		}
		words = append(words, word.(string))
	}
	keys := cmd.Keys
	if keys.Inner != nil {
		words[4] = "K"
	}
	for i := range words {
		if i >= keys.First && keys.First > 0 && (i <= keys.Last || keys.Last < 0) || keys.NumKeys > 0 && i == keys.NumKeys+keys.Skip+1 {
			words[i] = "K"
		}
	}
	return []string{strings.Join(words, " ")}
}

// notHere are commands that end the connection, wait, or change how replies come. They have no keys.
var notHere = []string{"shutdown", "monitor", "quit", "reset", "hello", "auth", "subscribe", "psubscribe", "unsubscribe", "punsubscribe",
	"ssubscribe", "sunsubscribe", "client|reply", "client|pause", "multi", "exec", "discard", "debug", "wait", "waitaof"}

// TestEveryKeyIsChecked sends each command of the table. Every key that it touches is a key that its user
// must have.
func TestEveryKeyIsChecked(t *testing.T) {
	c := newCaller(t)
	withKeys := 0
	for _, cmd := range callable() {
		if slices.Contains(notHere, cmd.FullName()) {
			require.False(t, cmd.HasKeys(), cmd.FullName())
			continue
		}
		for _, call := range tableCalls(cmd) {
			c.Do("FLUSHALL")
			words, keys := numbered(call, keyShapes[0])
			for i, key := range keys {
				if seed := seedOf[cmd.Group]; seed != "" && (i == 0 || cmd.Group != commands.GroupString) {
					c.Do(fmt.Sprintf(seed, key))
				}
			}
			if cmd.Flags&commands.WholeKeyspace == 0 {
				c.check(words, keys)
			}
			if withKeys += min(1, len(keys)); len(keys) == 0 {
				require.False(t, cmd.HasKeys() && cmd.Flags&commands.NoMandatoryKeys == 0, call)
			}
		}
	}
	require.Greater(t, withKeys, 100)
}

// ruleForm returns a random rule, and how many keys a request to it has.
func ruleForm(rng *rand.Rand) (words string, keys int) {
	limiters := []string{"CL.WINDOW 100 60", "CL.THROTTLE 99 100 60", "CL.SLIDING 100 60", "CL.LOG 100 60"}
	limit := func() string { return limiters[rng.IntN(len(limiters))] }
	var limits []string
	if keys = 1 + rng.IntN(4); keys == 1 && rng.IntN(2) == 0 {
		for range 1 + rng.IntN(3) {
			limits = append(limits, limit())
		}
	} else {
		for i := range keys {
			for range 1 + rng.IntN(2) {
				limits = append(limits, fmt.Sprintf("SCOPE s%d %s", i, limit()))
			}
		}
	}
	if words = strings.Join(limits, " AND "); rng.IntN(4) == 0 {
		words += " SHADOW"
	}
	return words, keys
}

// TestEveryKeyOfARuleIsChecked is TestEveryKeyIsChecked for the commands of random rules.
func TestEveryKeyOfARuleIsChecked(t *testing.T) {
	c, rng := newCaller(t), rand.New(randtest.Source(t))
	for round := range 60 {
		c.Do("FLUSHALL")
		form, n := ruleForm(rng)
		rule, name := "r", "r"
		if round%5 == 0 {
			rule, name = "default", "any.name"
		}
		require.Equal(t, servertest.OK, c.Do("CL.RULE SET "+rule+" "+form), form)
		shape := keyShapes[rng.IntN(len(keyShapes))]
		all, pairs := strings.Repeat(" K", n), strings.Repeat(" "+name+" K", n)
		if scope := "s0"; rng.IntN(3) == 0 {
			if !strings.Contains(form, "SCOPE") {
				scope = "-"
			}
			override := []any{"CL.RULE", "OVERRIDE", rule, scope, fmt.Sprintf(shape, 1), "CL.LOG", "70", "60", "AND", "CL.WINDOW", "90", "60"}
			require.Equal(t, servertest.OK, c.Do(override...))
		}
		for _, call := range []string{"CL.CHECK %s%s", "CL.CHECK %s%s 2 MS", "CL.CHECK %s%s 2 CHARGE", "CL.CHECK %s%s PEEK", "CL.CHECK %s%s EXPLAIN",
			"CL.EXPLAIN %s%s", "CL.RESERVE %s%s 2 id 60", "CL.RESERVE %s%s 2 id2 60 RELEASE EXPLAIN", "CL.SETTLE %s%s id 3", "CL.SETTLE %s%s id2 3"} {
			words, keys := numbered(fmt.Sprintf(call, name, all), shape)
			require.GreaterOrEqual(t, c.check(words, keys), n, "%s: %q", form, words)
		}
		words, keys := numbered(fmt.Sprintf("CL.MCHECK %d%s", n, pairs), shape)
		require.GreaterOrEqual(t, c.check(words, keys), n, "%s: %q", form, words)
		if !strings.Contains(form, "SCOPE") {
			continue
		}
		var scopes []string
		named := fmt.Sprintf("CL.MCHECK %d", n)
		for _, i := range rng.Perm(n) {
			scopes = append(scopes, fmt.Sprintf("s%d", i))
			named += fmt.Sprintf(" %s@s%d K", name, i)
		}
		for _, call := range []string{"CL.CHECK %s%s", "CL.EXPLAIN %s%s 2", "CL.RESERVE %s%s id3 60 QUANTITY 20", "CL.SETTLE %s%s id3 30"} {
			words, keys := numbered(fmt.Sprintf(call, name+"@"+strings.Join(scopes, ","), all), shape)
			require.GreaterOrEqual(t, c.check(words, keys), n, "%s: %q", form, words)
		}
		words, keys = numbered(named, shape)
		require.GreaterOrEqual(t, c.check(words, keys), n, "%s: %q", form, words)
	}
}

// TestKeysOfARuleThatChanges: the keys are those of the rule at the moment of the request. Nobody has asked
// the new rule yet.
func TestKeysOfARuleThatChanges(t *testing.T) {
	const one, two = "CL.WINDOW 100 60", "SCOPE org CL.WINDOW 100 60 AND SCOPE user CL.WINDOW 100 60"
	c := newCaller(t)
	noKey := commands.Error("NOPERM this user has no permissions to access one of the keys used as arguments")
	c.Want("ACL SETUSER u ~a:* +@all", servertest.OK)
	read := []any{resptest.Simple("RO"), resptest.Simple("access")}
	for range 3 {
		c.Want("CL.RULE SET r "+two, servertest.OK)
		c.user.Want("CL.CHECK r a:1 b:k", noKey)
		c.Want("CL.RULE SET r "+two, servertest.OK)
		c.Want("COMMAND GETKEYS CL.CHECK r a:1 b:k", []string{"a:1", "b:k"})
		c.Want("CL.RULE SET r "+two, servertest.OK)
		c.Want("COMMAND GETKEYSANDFLAGS CL.EXPLAIN r a:1 b:k", []any{[]any{"a:1", read}, []any{"b:k", read}})
		c.Want("CL.RULE SET r "+two, servertest.OK)
		c.Want("ACL DRYRUN u CL.CHECK r a:1 b:k", "This user has no permissions to access the 'b:k' key")
		c.Want("CL.RULE SET r "+one, servertest.OK)
		require.Len(t, c.user.Do("CL.CHECK r a:1 5"), 5, "5 is no key any more")
		c.Want("CL.RULE SET r "+one, servertest.OK)
		c.user.Want("MULTI", servertest.OK)
		c.user.Want("CL.RULE SET r "+two, servertest.Queued)
		c.user.Want("CL.CHECK r a:1 b:k", servertest.Queued)
		require.Contains(t, fmt.Sprint(c.user.Do("EXEC")), "no permission to touch the specified keys")
	}
	c.Want("KEYS *b:k*", []any{})
}
