package aof

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// bodied is an observer that collects effects in a body.
type bodied struct{ body *Body }

func (b bodied) Committed(_ *store.Tx, effects []store.Effect) { b.body.Append(effects) }

// TestBodiesMakeTheSameStore: random changes of all kinds, in bodies of random sizes, make the same store elsewhere.
func TestBodiesMakeTheSameStore(t *testing.T) {
	r := seeded(t)
	for range 30 {
		one, other := newStore(), newStore()
		var body Body
		one.Observe(bodied{&body})
		tx := other.NewTx()
		tx.Silent, tx.KeepExpired = true, true
		apply := NewBodyApplier(other, tx)
		for range 20 {
			for range r.IntN(6) {
				write(one, now, func(tx *store.Tx) {
					if r.IntN(10) == 0 {
						tx.Swap(r.IntN(3), r.IntN(3))
					}
					randomWrite(r, tx)
					if r.IntN(4) == 0 {
						randomOwnWrite(r, tx)
					}
				})
			}
			p := body.AppendTo(nil)
			require.Zero(t, body.Len())
			require.NoError(t, apply.Apply(p, now), "%q", p)
			requireSame(t, contents(one), contents(other))
		}
	}
}

// TestNoSwapOfTheOwnDatabase: a SWAPDB among the commands of the server's own database would swap those of clients.
func TestNoSwapOfTheOwnDatabase(t *testing.T) {
	s := newStore()
	apply := NewBodyApplier(s, s.NewTx())
	for inner, fails := range map[string]bool{"SWAPDB 0 1": true, "FLUSHDB": false} {
		echo := command("ECHO", ownMark+command(strings.Fields(inner)...))
		err := apply.Apply([]byte(echo), now)
		require.Equal(t, fails, err != nil, "%s: %v", inner, err)
	}
}

func TestRareEffectsOfBodies(t *testing.T) {
	one, other := newStore(), newStore()
	var body Body
	one.Observe(bodied{&body})
	for _, do := range []func(tx *store.Tx){
		func(tx *store.Tx) { e := tx.Write([]byte("a")); e.SetRange(0, nil) },
		func(tx *store.Tx) { e := tx.Write([]byte("b")); e.SetRange(3, []byte("xyz")) },
		func(tx *store.Tx) { e := tx.Write([]byte("c")); e.SetInt(7, now/1e6+1000) },
		func(tx *store.Tx) { e := tx.Write([]byte("c")); e.SetExpiry(store.NoExpiry) },
		func(tx *store.Tx) { tx.Select(2); e := tx.Write([]byte("d")); e.SetInt(7, store.NoExpiry) },
		func(tx *store.Tx) { tx.Swap(1, 2) },
		func(tx *store.Tx) { tx.Select(2); e := tx.Write([]byte("d")); e.SetInt(8, store.NoExpiry); tx.Flush() },
	} {
		write(one, now, do)
	}
	tx := other.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	require.NoError(t, NewBodyApplier(other, tx).Apply(body.AppendTo(nil), now))
	requireSame(t, contents(one), contents(other))
	require.Len(t, contents(other), 4)
}

// TestDeletesAndExpiriesAllocateNothing: a follower applies one for each key that ends, and a load, too.
func TestDeletesAndExpiriesAllocateNothing(t *testing.T) {
	for _, body := range []string{
		"*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n",
		"*3\r\n$9\r\nPEXPIREAT\r\n$1\r\nk\r\n$1\r\n9\r\n",
		"*2\r\n$7\r\nPERSIST\r\n$1\r\nk\r\n",
	} {
		s := newStore()
		apply, p := NewBodyApplier(s, s.NewTx()), []byte(body)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			if err := apply.Apply(p, now); err != nil {
				panic(err)
			}
		}), "%q", body)
	}
}

// TestRecordsOfTATsAreShort: the expiry of a throttle key follows from its TAT, also at the ends of the range.
func TestRecordsOfTATsAreShort(t *testing.T) {
	for _, c := range []struct {
		v, at int64
		size  int
	}{
		{now + 1, store.ExpiryOfTAT(now + 1), 11},
		{now, store.ExpiryOfTAT(now), 11},
		{math.MaxInt64, store.ExpiryOfTAT(math.MaxInt64), 11},
		{now, store.NoExpiry, 11},
		{math.MinInt64, store.NoExpiry, 11},
		{now + 1, store.ExpiryOfTAT(now+1) + 1, 19},
		{-5, now/1e6 + 1000, 19},
	} {
		one, other := newStore(), newStore()
		var body Body
		one.Observe(bodied{&body})
		write(one, now-1e9, func(tx *store.Tx) { e := tx.Write([]byte("k")); e.SetInt(c.v, c.at) })
		require.Equal(t, c.size, body.Len(), "%v", c)
		tx := other.NewTx()
		tx.Silent, tx.KeepExpired = true, true
		require.NoError(t, NewBodyApplier(other, tx).Apply(body.AppendTo(nil), now-1e9))
		requireSame(t, contents(one), contents(other))
		require.Len(t, contents(other), 1)
	}
}

func TestBodiesThatCannotBeApplied(t *testing.T) {
	for body, want := range map[string]string{
		"*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n":                          "only 3 databases",
		"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n":                            `"INCR" is not a command of an effect`,
		"*3\r\n$3\r\nDEL\r\n$1\r\nk\r\n$1\r\nl\r\n":                  `"DEL" is not a command of an effect, or has other arguments`,
		"*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n":        "has no end",
		"*2\r\n$3\r\nDEL\r\n$1\r\nk":                                 "cut off",
		"*4\r\n$8\r\nSETRANGE\r\n$1\r\nk\r\n$2\r\n-1\r\n$1\r\nx\r\n": `"SETRANGE" is not a command of an effect`,
		"*3\r\n$6\r\nSWAPDB\r\n$1\r\n0\r\n$1\r\n3\r\n":               `"SWAPDB" is not a command of an effect`,
		"*3\r\n$6\r\nAPPEND\r\n$1\r\nk\r\n$1\r\nx\r\n":               `"APPEND" is not a command of an effect`,
		"*2\r\n$11\r\nCL.THROTTLE\r\n$1\r\nk\r\n":                    "throttle for requests of the past",
		command("SETRANGE", "k", "100000000000000000", "x"):          "no more memory",
		command("SETRANGE", "k", "9223372036854775807", "x"):         "no more memory",
		"*1\r\n$4\r\nEXEC\r\n":                                       `"EXEC" is not a command of an effect`,
		"\x00\x01k12345678":                                          "unknown form",
		"\x04\x01k12345678123456781234567812345678":                  "unknown form",
		"\x03\x01k1234567":                                           "cut off",
		"\x01":                                                       "cut off",
		"\x01\x02k12345678":                                          "cut off",
		"\x02\x01k123456781234567":                                   "cut off",
		"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01k12345678":      "cut off",
	} {
		s := newStore()
		require.ErrorContains(t, NewBodyApplier(s, s.NewTx()).Apply([]byte(body), now), want, "%q", body)
	}
}

// TestRecordsWithoutMemory: an integer that finds no memory for its key is an error, and no panic.
func TestRecordsWithoutMemory(t *testing.T) {
	refuse := false
	s := store.New(store.Options{Seed: 1, Refuse: func(int) bool { return refuse }})
	b := NewBodyApplier(s, s.NewTx())
	for i := range 10_000 {
		refuse = true
		err := b.Apply(fmt.Appendf(nil, "\x01\x0b{k}%08d12345678", i), now)
		refuse = false
		if err != nil {
			require.ErrorIs(t, err, store.ErrExhausted)
			require.NoError(t, b.Apply([]byte("\x01\x03{k}12345678"), now), "the transaction has ended")
			return
		}
	}
	t.Fatal("the memory never runs out")
}
