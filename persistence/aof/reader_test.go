package aof

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// batchOf returns commands as one batch.
func batchOf(commands string) string {
	b := append(bytes.Clone(format.EmptyHeader[:]), commands...)
	format.Seal(b)
	return string(b)
}

// randomCommands returns some commands on a few keys of the same length, and applies them to all.
func randomCommands(r *rand.Rand, all map[string]string) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		key, value := fmt.Sprintf("key:%03d", r.IntN(300)), fmt.Sprint(r.IntN(1000))
		switch r.IntN(5) {
		case 0:
			b.WriteString(commandLines("DEL " + key))
			delete(all, key)
		case 1: // the replayer applies it
			b.WriteString(commandLines("append " + key + " " + value))
			all[key] += value
		default:
			b.WriteString(commandLines("SET " + key + " " + value))
			all[key] = value
		}
	}
	if r.IntN(5) == 0 {
		return commandLines("MULTI") + b.String() + commandLines("EXEC")
	}
	return b.String()
}

// TestLongLogs requires that every command is applied to its own key, though the memory of commands is used again.
func TestLongLogs(t *testing.T) {
	r := seeded(t)
	for _, batches := range []bool{false, true} {
		all := map[string]string{}
		var text strings.Builder
		for text.Len() < 6*windowSize {
			commands := randomCommands(r, all)
			if batches {
				commands = batchOf(commands)
			}
			text.WriteString(commands)
		}
		want := map[string]string{}
		for key, value := range all {
			want["0 "+key] = fmt.Sprint("string ", value, " until ", store.NoExpiry)
		}
		l, _, err := redisLog(t, text.String())
		require.NoError(t, err)
		requireSame(t, want, contents(l.store))
	}
}

// TestNothingIsAppliedAfterARefusal requires that the error names the first command that cannot be applied, whatever
// is wrong after it.
func TestNothingIsAppliedAfterARefusal(t *testing.T) {
	before, refused := commandLines("SET a 1", "SET b 2"), commandLines("xadd l 1-1 f v")
	for name, after := range map[string]string{
		"nothing":      "",
		"a few":        commandLines("SET c 3", "DEL a"),
		"many":         strings.Repeat(commandLines("SET c 3", "DEL a"), windowSize/16),
		"another":      commandLines("xtrim l"),
		"a torn one":   commandLines("SET c 3")[:10],
		"a torn batch": batchOf(commandLines("SET c 3"))[:30],
		"damage":       "x" + commandLines("SET c 3"),
	} {
		t.Run(name, func(t *testing.T) {
			l, _, err := redisLog(t, before+refused+after)
			var damage *Damage
			require.ErrorAs(t, err, &damage)
			require.ErrorContains(t, err, `"XADD" cannot be applied`)
			require.EqualValues(t, len(before), damage.Offset)
			require.Len(t, contents(l.store), 2)

			_, _, err = redisLog(t, batchOf(before+refused)+after)
			require.ErrorAs(t, err, &damage)
			require.EqualValues(t, format.HeaderSize+len(before), damage.Offset)
		})
	}
}

func TestTheOffsetOfARefusedTransactionIsItsBeginning(t *testing.T) {
	before := commandLines("SET a 1", "MULTI", "SET b 2", "EXEC")
	_, _, err := redisLog(t, before+commandLines("MULTI", "SET a 2", "xadd l 1-1 f v", "EXEC", "SET c 1"))
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	require.EqualValues(t, len(before), damage.Offset)
}

// TestRenamesInLogs has renames and moves of our logs and of Redis's. A key that is absent had expired when the base was
// written, so the key that it replaced is gone, too.
func TestRenamesInLogs(t *testing.T) {
	for _, c := range []struct{ commands, want string }{
		{"SET a 1|SET b 2|RENAME a b", "b=1"},
		{"SET a 1 PXAT 9000000000000|RENAME a b", "b=1"},
		{"SET b 2|RENAME a b", ""},
		{"SET a 1|RENAME a a", "a=1"},
		{"SET a 1|SET b 2|RENAMENX a c", "b=2 c=1"},
		{"SET a 1|rename a b", "b=1"},
		{"SET a 1|MOVE a 2|SELECT 2|RENAME a z", "z=1"},
		{"MOVE a 2", ""},
		{"SET a 1|MULTI|DEL b|RENAME a b|SET a 2|EXEC", "a=2 b=1"},
	} {
		for _, batches := range []bool{false, true} {
			var text string
			for command := range strings.SplitSeq(c.commands, "|") {
				text += commandLines(command)
			}
			if batches {
				text = batchOf(text)
			}
			files := memory()
			files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
			files.Put(incr1, []byte(text))
			l, _, err := load(t, files)
			require.NoError(t, err, c.commands)
			var got []string
			for key, value := range contents(l.store) {
				name, _ := strings.CutPrefix(key[strings.Index(key, " "):], " ")
				got = append(got, name+"="+strings.Fields(value)[1])
			}
			slices.Sort(got)
			require.Equal(t, c.want, strings.Join(got, " "), c.commands)
		}
	}
}
