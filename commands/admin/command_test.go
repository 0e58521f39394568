package admin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestCommandInfo(t *testing.T) {
	h := servertest.New(t)
	get := h.Do("COMMAND INFO get").([]any)[0].([]any)
	require.Len(t, get, 10)
	require.Equal(t, []any{"get", int64(2), []any{resptest.Simple("readonly"), resptest.Simple("fast")}, int64(1), int64(1), int64(1),
		[]any{resptest.Simple("@read"), resptest.Simple("@string"), resptest.Simple("@fast")}}, get[:7])
	throttle := h.Do("COMMAND INFO cl.throttle").([]any)[0].([]any)
	require.Equal(t, []any{int64(-1), int64(1), int64(1), int64(1)}, []any{throttle[1], throttle[3], throttle[4], throttle[5]})
	require.Equal(t, []any{resptest.NilBulk}, h.Do("COMMAND INFO nothing"))
	require.Equal(t, h.Do("COMMAND COUNT"), int64(len(h.Do("COMMAND").([]any))))
	require.Len(t, h.Do("COMMAND LIST"), commands.Count())
	require.Contains(t, h.Do("COMMAND LIST FILTERBY PATTERN CLUSTER|*"), "cluster|slots")
	require.Subset(t, h.Do("COMMAND LIST FILTERBY ACLCAT throttle"), []any{"cl.probe", "cl.throttle"})
	require.Empty(t, h.Do("COMMAND LIST FILTERBY MODULE x"))
	h.Want("COMMAND LIST FILTERBY", commands.ErrSyntax)
}

func TestCommandGetKeys(t *testing.T) {
	h := servertest.New(t)
	h.Want("COMMAND GETKEYS GET k", []any{"k"})
	h.Want("COMMAND GETKEYS CL.THROTTLE k 1 2 3", []any{"k"})
	h.Want("COMMAND GETKEYS WATCH a b c", []any{"a", "b", "c"})
	h.Want("COMMAND GETKEYS PING x", commands.Error("ERR The command has no key arguments"))
	h.Want("COMMAND GETKEYS nothing x", commands.Error("ERR Invalid command specified"))
	h.Want("COMMAND GETKEYS GET k l", commands.Error("ERR Invalid number of arguments specified for command"))
	h.Want("COMMAND GETKEYS PING", commands.WrongArity("command|getkeys").(commands.Error))
	rw := func(flags ...any) []any {
		return []any{resptest.Simple(flags[0].(string)), resptest.Simple(flags[1].(string))}
	}
	h.Want("COMMAND GETKEYS ZINTERSTORE dst 2 a b", []any{"dst", "a", "b"})
	h.Want("COMMAND GETKEYSANDFLAGS ZDIFFSTORE dst 1 a", []any{[]any{"dst", rw("OW", "update")}, []any{"a", rw("RO", "access")}})
	h.Want("COMMAND GETKEYS ZUNIONSTORE dst x a b", commands.Error("ERR Invalid arguments specified for command"))
	require.Equal(t, []any{[]any{"k", []any{resptest.Simple("RO"), resptest.Simple("access")}}}, h.Do("COMMAND GETKEYSANDFLAGS GET k"))
}

func TestCommandGetKeysAndFlags(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	h := servertest.New(t)
	for _, line := range []string{"SET k v", "SET k v EX 1 get", "SETNX k v", "RENAME a b", "COPY a b", "MSET a 1 b 2", "GET k", "OBJECT FREQ k"} {
		args := []any{"COMMAND", "GETKEYSANDFLAGS"}
		for _, word := range strings.Fields(line) {
			args = append(args, word)
		}
		require.Equal(t, redis.Do(args...), h.Do(args...), line)
	}
}

// TestHelp requires that the HELP of a parent has a line for each subcommand.
func TestHelp(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	for _, cmd := range commands.TopLevel() {
		if cmd.Sub([]byte("help")) == nil {
			require.Empty(t, cmd.Subs, cmd.Name)
			continue
		}
		name := strings.ToUpper(cmd.Name)
		lines := h.Do(name + " HELP").([]any)
		require.Equal(t, resptest.Simple(name+" <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), lines[0])
		for _, sub := range cmd.Subs {
			starts := func(line any) bool {
				return strings.HasPrefix(string(line.(resptest.Simple)), strings.ToUpper(sub.Name))
			}
			if sub.Name != "slaves" { // deprecated: the HELP of Redis lacks it, too
				require.True(t, slices.ContainsFunc(lines, starts), sub.FullName())
			}
		}
	}
}

// TestCommandTableLikeRedis compares COMMAND INFO and COMMAND DOCS with Redis, for every command
// that Redis has.
func TestCommandTableLikeRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	redis.Do("HELLO", 3)
	h := servertest.New(t)
	h.Do("HELLO 3")
	compared := 0
	for _, parent := range commands.TopLevel() {
		for _, cmd := range append([]*commands.Command{parent}, parent.Subs...) {
			theirs, found := redis.Do("COMMAND", "INFO", cmd.FullName()).([]any)[0].([]any)
			if !found { // Redis 7.0 does not have it
				continue
			}
			compared++
			ours := h.Do("COMMAND", "INFO", cmd.FullName()).([]any)[0].([]any)
			require.Equal(t, unordered(theirs[:9]), unordered(ours[:9]), cmd.FullName())
			require.Equal(t, documented(redis, cmd), documented(doer{h.Client}, cmd), cmd.FullName())
		}
	}
	require.Greater(t, compared, 100)
}

// doer is a test client with the Do of a client of resptest.
type doer struct{ *servertest.Client }

func (d doer) Do(args ...any) any { return d.Client.Do(args...) }

// documented returns the fields of COMMAND DOCS that the table has.
func documented(server interface{ Do(args ...any) any }, cmd *commands.Command) map[string]any {
	docs := server.Do("COMMAND", "DOCS", cmd.FullName()).(resptest.Map)[0].Value.(resptest.Map)
	all := unordered(docs).(map[string]any)
	for _, other := range []string{"arguments", "history", "subcommands"} {
		delete(all, other)
	}
	switch cmd.Name {
	case "hscan", "sscan", "zscan": // TestCommandDocsEqualRedis has the reasons
		delete(all, "complexity")
	case "debug":
		delete(all, "doc_flags")
	}
	return all
}

// unordered converts sets and maps of a reply to maps, and removes the notes of key specs.
func unordered(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = unordered(x)
		}
		return list
	case resptest.Set:
		set := map[string]bool{}
		for _, x := range v {
			set[fmt.Sprint(unordered(x))] = true
		}
		return set
	case resptest.Map:
		m := map[string]any{}
		for _, p := range v {
			if p.Key != "notes" {
				m[p.Key.(string)] = unordered(p.Value)
			}
		}
		return m
	}
	return v
}
