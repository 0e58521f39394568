package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestCommandInfo(t *testing.T) {
	h := newHarness(t)
	get := h.do("COMMAND INFO get").([]any)[0].([]any)
	require.Len(t, get, 10)
	require.Equal(t, []any{"get", int64(2), []any{resptest.Simple("readonly"), resptest.Simple("fast")}, int64(1), int64(1), int64(1),
		[]any{resptest.Simple("@read"), resptest.Simple("@string"), resptest.Simple("@fast")}}, get[:7])
	throttle := h.do("COMMAND INFO cl.throttle").([]any)[0].([]any)
	require.Equal(t, []any{int64(-1), int64(1), int64(1), int64(1)}, []any{throttle[1], throttle[3], throttle[4], throttle[5]})
	require.Equal(t, []any{resptest.NilBulk}, h.do("COMMAND INFO nothing"))
	require.Equal(t, h.do("COMMAND COUNT"), int64(len(h.do("COMMAND").([]any))))
	require.Len(t, h.do("COMMAND LIST"), len(everyCommand))
	require.Contains(t, h.do("COMMAND LIST FILTERBY PATTERN CLUSTER|*"), "cluster|slots")
	require.Subset(t, h.do("COMMAND LIST FILTERBY ACLCAT throttle"), []any{"cl.probe", "cl.throttle"})
	require.Empty(t, h.do("COMMAND LIST FILTERBY MODULE x"))
	h.want("COMMAND LIST FILTERBY", errSyntax)
}

func TestCommandGetKeys(t *testing.T) {
	h := newHarness(t)
	h.want("COMMAND GETKEYS GET k", []any{"k"})
	h.want("COMMAND GETKEYS CL.THROTTLE k 1 2 3", []any{"k"})
	h.want("COMMAND GETKEYS WATCH a b c", []any{"a", "b", "c"})
	h.want("COMMAND GETKEYS PING x", Error("ERR The command has no key arguments"))
	h.want("COMMAND GETKEYS nothing x", Error("ERR Invalid command specified"))
	h.want("COMMAND GETKEYS GET k l", Error("ERR Invalid number of arguments specified for command"))
	h.want("COMMAND GETKEYS PING", wrongArity("command|getkeys").(Error))
	rw := func(flags ...any) []any {
		return []any{resptest.Simple(flags[0].(string)), resptest.Simple(flags[1].(string))}
	}
	h.want("COMMAND GETKEYS ZINTERSTORE dst 2 a b", []any{"dst", "a", "b"})
	h.want("COMMAND GETKEYSANDFLAGS ZDIFFSTORE dst 1 a", []any{[]any{"dst", rw("OW", "update")}, []any{"a", rw("RO", "access")}})
	h.want("COMMAND GETKEYS ZUNIONSTORE dst x a b", Error("ERR Invalid arguments specified for command"))
	require.Equal(t, []any{[]any{"k", []any{resptest.Simple("RO"), resptest.Simple("access")}}}, h.do("COMMAND GETKEYSANDFLAGS GET k"))
}

func TestCommandGetKeysAndFlags(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	h := newHarness(t)
	for _, line := range []string{"SET k v", "SET k v EX 1 get", "SETNX k v", "RENAME a b", "COPY a b", "MSET a 1 b 2", "GET k", "OBJECT FREQ k"} {
		args := []any{"COMMAND", "GETKEYSANDFLAGS"}
		for _, word := range strings.Fields(line) {
			args = append(args, word)
		}
		require.Equal(t, redis.Do(args...), h.do(args...), line)
	}
}

func TestCommandDocs(t *testing.T) {
	h := newHarness(t)
	h.do("HELLO 3")
	docs := h.do("COMMAND DOCS get nothing").(resptest.Map)
	require.Len(t, docs, 1)
	require.Len(t, h.do("COMMAND DOCS"), len(table))
}

// Every parent's HELP says of each of its subcommands what it takes.
func TestHelp(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes")
	for _, cmd := range withoutSubs() {
		if cmd.sub([]byte("help")) == nil {
			require.Empty(t, cmd.Subs, cmd.Name)
			continue
		}
		name := strings.ToUpper(cmd.Name)
		lines := h.do(name + " HELP").([]any)
		require.Equal(t, resptest.Simple(name+" <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), lines[0])
		for _, sub := range cmd.Subs {
			starts := func(line any) bool {
				return strings.HasPrefix(string(line.(resptest.Simple)), strings.ToUpper(sub.Name))
			}
			if sub.Name != "slaves" { // deprecated: Redis keeps it quiet, too
				require.True(t, slices.ContainsFunc(lines, starts), sub.FullName())
			}
		}
	}
}

// What clients learn of a command that Redis has, too, is what Redis tells them.
func TestCommandTableLikeRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	redis.Do("HELLO", 3)
	h := newHarness(t)
	h.do("HELLO 3")
	compared := 0
	for _, parent := range withoutSubs() {
		for _, cmd := range append([]*Command{parent}, parent.Subs...) {
			theirs, found := redis.Do("COMMAND", "INFO", cmd.FullName()).([]any)[0].([]any)
			if !found { // our own, or younger
				continue
			}
			compared++
			ours := h.do("COMMAND", "INFO", cmd.FullName()).([]any)[0].([]any)
			require.Equal(t, unordered(theirs[:9]), unordered(ours[:9]), cmd.FullName())
			require.Equal(t, documented(redis, cmd), documented(doer{h.testClient}, cmd), cmd.FullName())
		}
	}
	require.Greater(t, compared, 100)
}

// doer is a test client with the method of resptest's.
type doer struct{ *testClient }

func (d doer) Do(args ...any) any { return d.do(args...) }

// documented is what COMMAND DOCS says of a command, as far as the table has it.
func documented(server interface{ Do(args ...any) any }, cmd *Command) map[string]any {
	docs := server.Do("COMMAND", "DOCS", cmd.FullName()).(resptest.Map)[0].Value.(resptest.Map)
	all := unordered(docs).(map[string]any)
	for _, other := range []string{"arguments", "history", "subcommands"} {
		delete(all, other)
	}
	switch cmd.Name {
	case "zscan": // ours takes another time
		delete(all, "complexity")
	case "debug":
		delete(all, "doc_flags")
	}
	return all
}

// unordered spells a reply without the order of its sets and maps, and without the notes
// of key specs.
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
