package aof

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/store"
	"cellserver/store/hash"
	"cellserver/store/list"

	"github.com/stretchr/testify/require"
)

// encoded is an observer that encodes the effects of transactions.
type encoded struct{ *encoder }

func (e encoded) Committed(_ *store.Tx, effects []store.Effect) { e.transaction(effects) }

func TestEffectsAsCommands(t *testing.T) {
	s, e := newStore(), newEncoder()
	s.Observe(encoded{e})
	for _, step := range []struct {
		do   func(tx *store.Tx)
		want string
	}{
		{func(tx *store.Tx) { k := tx.Write([]byte("k")); k.SetInt(-7, store.NoExpiry) },
			"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n-7\r\n"},
		{func(tx *store.Tx) { k := tx.Write([]byte("k")); k.SetInt(now+1, now/1e6+1) },
			"*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$19\r\n1700000000123456790\r\n$4\r\nPXAT\r\n$13\r\n1700000000124\r\n"},
		{func(tx *store.Tx) { k := tx.Write([]byte("k")); k.SetExpiry(store.NoExpiry) }, "*2\r\n$7\r\nPERSIST\r\n$1\r\nk\r\n"},
		{func(tx *store.Tx) { tx.Peek([]byte("k")) }, ""},
		{func(tx *store.Tx) {
			tx.Select(1)
			k := tx.Write([]byte("z"))
			k.ZAdd(0.5, []byte("m"))
			k.SetExpiry(now / 1e3)
		}, "*2\r\n$6\r\nSELECT\r\n$1\r\n1\r\n*1\r\n$5\r\nMULTI\r\n*4\r\n$4\r\nZADD\r\n$1\r\nz\r\n$3\r\n0.5\r\n$1\r\nm\r\n" +
			"*3\r\n$9\r\nPEXPIREAT\r\n$1\r\nz\r\n$16\r\n1700000000123456\r\n*1\r\n$4\r\nEXEC\r\n"},
		{func(tx *store.Tx) { tx.Select(1); k := tx.Write([]byte("z")); k.CopyTo(1, []byte("y")) },
			"*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nDEL\r\n$1\r\ny\r\n*4\r\n$4\r\nZADD\r\n$1\r\ny\r\n$3\r\n0.5\r\n$1\r\nm\r\n" +
				"*3\r\n$9\r\nPEXPIREAT\r\n$1\r\ny\r\n$16\r\n1700000000123456\r\n*1\r\n$4\r\nEXEC\r\n"},
		{func(tx *store.Tx) { tx.Select(1); k := tx.Write([]byte("y")); k.Rename([]byte("x")) }, "*3\r\n$6\r\nRENAME\r\n$1\r\ny\r\n$1\r\nx\r\n"},
		{func(tx *store.Tx) { tx.Select(1); k := tx.Write([]byte("x")); k.Move(0) }, "*3\r\n$4\r\nMOVE\r\n$1\r\nx\r\n$1\r\n0\r\n"},
		{func(tx *store.Tx) {
			tx.Select(1)
			k := tx.Write([]byte("z"))
			k.Rename([]byte("y"))
			k.SetInt(7, store.NoExpiry)
		},
			"*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nDEL\r\n$1\r\ny\r\n*3\r\n$6\r\nRENAME\r\n$1\r\nz\r\n$1\r\ny\r\n" +
				"*3\r\n$3\r\nSET\r\n$1\r\nz\r\n$1\r\n7\r\n*1\r\n$4\r\nEXEC\r\n"},
		{func(tx *store.Tx) {
			tx.Select(1)
			k := tx.Write([]byte("h"))
			k.Change(hash.Set, store.Operands{Value: []byte("f"), More: []byte("v")})
			k.Change(hash.Delete, store.Operands{Value: []byte("none")})
			k.Change(hash.Delete, store.Operands{Value: []byte("f")})
		}, "*1\r\n$5\r\nMULTI\r\n*4\r\n$4\r\nHSET\r\n$1\r\nh\r\n$1\r\nf\r\n$1\r\nv\r\n" +
			"*3\r\n$4\r\nHDEL\r\n$1\r\nh\r\n$1\r\nf\r\n*1\r\n$4\r\nEXEC\r\n"},
		{func(tx *store.Tx) {
			tx.Select(1)
			k := tx.Write([]byte("l"))
			a, b := []byte("a"), []byte("b")
			k.Change(list.PushLast, store.Operands{Value: a})
			k.Change(list.PushFirst, store.Operands{Value: b})
			k.Change(list.Insert, store.Operands{Int: -1, Value: a, More: b})
			k.Change(list.Insert, store.Operands{Int: 1, Value: a, More: b})
			k.Change(list.Set, store.Operands{Int: -1, Value: a})
			k.Change(list.Remove, store.Operands{Int: -2, Value: b})
			k.Change(list.Trim, store.Operands{Int: 1, End: -1})
			k.Change(list.PopFirst, store.Operands{Int: 1})
		}, "*1\r\n$5\r\nMULTI\r\n*3\r\n$5\r\nRPUSH\r\n$1\r\nl\r\n$1\r\na\r\n*3\r\n$5\r\nLPUSH\r\n$1\r\nl\r\n$1\r\nb\r\n" +
			"*5\r\n$7\r\nLINSERT\r\n$1\r\nl\r\n$6\r\nBEFORE\r\n$1\r\na\r\n$1\r\nb\r\n" +
			"*5\r\n$7\r\nLINSERT\r\n$1\r\nl\r\n$5\r\nAFTER\r\n$1\r\na\r\n$1\r\nb\r\n" +
			"*4\r\n$4\r\nLSET\r\n$1\r\nl\r\n$2\r\n-1\r\n$1\r\na\r\n*4\r\n$4\r\nLREM\r\n$1\r\nl\r\n$2\r\n-2\r\n$1\r\nb\r\n" +
			"*4\r\n$5\r\nLTRIM\r\n$1\r\nl\r\n$1\r\n1\r\n$2\r\n-1\r\n*3\r\n$4\r\nLPOP\r\n$1\r\nl\r\n$1\r\n1\r\n*1\r\n$4\r\nEXEC\r\n"},
		{func(tx *store.Tx) { tx.Swap(2, 0) }, "*3\r\n$6\r\nSWAPDB\r\n$1\r\n2\r\n$1\r\n0\r\n"},
		{func(tx *store.Tx) { tx.Select(2); tx.Flush() }, "*2\r\n$6\r\nSELECT\r\n$1\r\n2\r\n*1\r\n$7\r\nFLUSHDB\r\n"},
		{func(tx *store.Tx) { tx.Select(2); k := tx.Write([]byte("s")); k.SetRange(0, nil) }, "*3\r\n$6\r\nAPPEND\r\n$1\r\ns\r\n$0\r\n\r\n"},
	} {
		e.buf = e.buf[:0]
		write(s, now, step.do)
		require.Equal(t, step.want, string(e.buf))
	}
}

// TestExpiriesOfIntegers has expiries that follow from a TAT, and others.
func TestExpiriesOfIntegers(t *testing.T) {
	e := newEncoder()
	e.db = 0
	for _, n := range []int64{-1e12, -5e6, -5, 0, 5, 999_999, 1e6, 1e6 + 1, 9e6, 9e6 + 1, 1e7, 99_999_999, now, now / 1e7 * 1e7, now/1e7*1e7 - 1, now / 1e8 * 1e8, now/1e8*1e8 - 1, 1e18 - 1, 1e18, math.MaxInt64} {
		for _, at := range []int64{n / 1e6, n/1e6 + 1, n/1e6 - 1, n/1e6 + 2, n / 1e8 * 100, n/1e8*100 + 9, n/1e8*100 + 99, 1, 0, -4, math.MaxInt64, math.MinInt64 + 1} {
			e.buf = e.buf[:0]
			e.transaction([]store.Effect{{Op: store.OpSet, Key: []byte("k"), At: at, Operands: store.Operands{Int: n}}})
			args, _, err := format.ParseCommand(e.buf, nil)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("SET k ", n, " PXAT ", at), string(bytes.Join(args, []byte(" "))))
		}
	}
}

// TestEveryEffectHasAnAppender requires that each effect of the store belongs to a codec.
func TestEveryEffectHasAnAppender(t *testing.T) {
	e := newEncoder()
	for op := store.OpSet; op <= store.OpStore; op++ {
		require.NotNil(t, e.appenders[op].append, "effect %d: give it an appender in its type's codec", op)
	}
}

func TestLargeSetsAreSeveralZADDs(t *testing.T) {
	s, e := newStore(), newEncoder()
	s.Observe(encoded{e})
	items := make([]store.Item, 130)
	for i := range items {
		items[i] = store.Item{Score: float64(i), Member: string(rune('0' + i))}
	}
	write(s, now, func(tx *store.Tx) { k := tx.Write([]byte("z")); k.ZStore(items) })
	var args [][]byte
	var lengths []int
	for b := e.buf; len(b) > 0; {
		var n int
		var err error
		args, n, err = format.ParseCommand(b, args)
		require.NoError(t, err)
		lengths = append(lengths, len(args))
		b = b[n:]
	}
	require.Equal(t, []int{2, 1, 2, 2 + 128, 2 + 128, 2 + 4, 1}, lengths)
}

// TestTheLogIsComplete loads the log of random transactions and expiries into a store. It must hold
// the same as the store that wrote the log, over several runs.
func TestTheLogIsComplete(t *testing.T) {
	r, files := seeded(t), memory()
	at, want := now, map[string]string{}
	var cursor store.SweepCursor
	for run := range 8 {
		l := start(t, files, Policy(run%3))
		requireSame(t, want, contents(l.store), "run", run)
		cursor = store.SweepCursor{}
		for range 1500 {
			at += r.Int64N(20e6)
			if r.IntN(50) == 0 {
				l.store.Sweep(at, &cursor, r.IntN(2000))
				continue
			}
			write(l.store, at, func(tx *store.Tx) {
				for range 1 + r.IntN(4) {
					randomWrite(r, tx)
				}
			})
			if r.IntN(5) == 0 {
				l.commit()
			}
		}
		l.journal.Stop()
		require.NoError(t, l.err)
		want = contents(l.store)
		files = files.PowerCut(nil)
	}
	require.NotEmpty(t, want)
}

// TestLargeEffectsAreEncodedAlone: the commands are the same, whether a large value comes first, or after few or many others.
func TestLargeEffectsAreEncodedAlone(t *testing.T) {
	files := memory()
	l := start(t, files, Never)
	items := make([]store.Item, largeMembers)
	for i := range items {
		items[i] = store.Item{Score: float64(i), Member: strconv.Itoa(i)}
	}
	large := bytes.Repeat([]byte("large"), largeValue)
	for db := range 3 {
		for _, before := range []int{0, 1, 3000} { // 3000 take more than adoptedRoom
			for range before {
				set(l.store, "other", int64(db))
			}
			write(l.store, now, func(tx *store.Tx) { tx.Select(db); k := tx.Write([]byte("z")); k.ZStore(items) })
			set(l.store, "between", int64(db))
			write(l.store, now, func(tx *store.Tx) { tx.Select(db); k := tx.Write([]byte("s")); k.SetBytes(large, store.NoExpiry) })
			set(l.store, "after", int64(db))
			l.commit()
		}
	}
	write(l.store, now, func(tx *store.Tx) { tx.Select(1); k := tx.Write([]byte("z")); k.ZStore(items[:3]) })
	l.commit()
	again, _, err := load(t, files)
	require.NoError(t, err)
	requireSame(t, contents(l.store), contents(again.store))
}

// TestRoomOfALargeSet encodes sets whose first members are far larger or smaller than the others. The room that the encoder
// makes follows the size of the set, not the first members.
func TestRoomOfALargeSet(t *testing.T) {
	for name, length := range map[string]func(i int) int{
		"equal":       func(int) int { return 20 },
		"large first": func(i int) int { return 20 + max(0, 100_000*(10-i)) },
		"small first": func(i int) int { return 20 + max(0, 1000*(i-19_900)) },
	} {
		s, e := newStore(), newEncoder()
		e.buf = make([]byte, 0, 256<<10)
		size := int64(0)
		s.Observe(encoded{e})
		write(s, now, func(tx *store.Tx) {
			items := make([]store.Item, 20_000)
			for i := range items {
				items[i] = store.Item{Member: fmt.Sprintf("%0*d", length(i), i), Score: float64(i)}
			}
			set := tx.Write([]byte("z"))
			set.ZStore(items)
			size = set.Collection().Bytes()
		})
		require.Less(t, int64(cap(e.buf)), int64(len(e.buf))+size+1<<20, name)
		require.Greater(t, len(e.buf), 20_000*20, name)
	}
}

// TestTransactionsJoin: transactions of several effects that follow each other in one write share a MULTI … EXEC, up to a bound.
// Another database, a single effect or another write ends it.
func TestTransactionsJoin(t *testing.T) {
	s, e := newStore(), newEncoder()
	s.Observe(encoded{e})
	e.joins = true
	e.reset()
	set := func(db int, keys ...string) {
		write(s, now, func(tx *store.Tx) {
			tx.Select(db)
			for _, key := range keys {
				k := tx.Write([]byte(key))
				k.SetInt(1, store.NoExpiry)
			}
		})
	}
	begins := func() string {
		return strings.Join(regexp.MustCompile(`MULTI|EXEC|SELECT|[a-z]+`).FindAllString(string(e.buf), -1), " ")
	}
	set(0, "a", "b")
	set(0, "c", "d")
	set(0, "e")
	set(0, "f", "g")
	set(1, "h", "i")
	set(1, "j", "k")
	require.Equal(t, "SELECT MULTI a b c d EXEC e MULTI f g EXEC SELECT MULTI h i j k EXEC", begins())
	e.begin(nil)
	set(1, "l", "m")
	require.Equal(t, "MULTI l m EXEC", begins())

	e.begin(nil)
	long := strings.Repeat("x", 1000)
	for range 200 {
		set(1, long, "y")
	}
	parts := strings.Split(string(e.buf), multiCommand)[1:]
	require.Greater(t, len(parts), 2)
	for _, part := range parts {
		require.Less(t, len(part), maxJoined+3000)
		require.True(t, strings.HasSuffix(part, execCommand))
		require.Equal(t, 1, strings.Count(part, execCommand))
	}
}
