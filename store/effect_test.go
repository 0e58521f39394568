package store

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// replayer applies effects to a second store at once.
type replayer struct{ to *Store }

func (r replayer) Committed(_ *Tx, effects []Effect) {
	tx := whole(r.to, 0) // before every expiry: only effects remove keys
	defer tx.End()
	for i := range effects {
		apply(tx, &effects[i])
	}
}

// apply does what a log or a replica does with an effect.
func apply(tx *Tx, f *Effect) {
	tx.Select(f.DB)
	switch f.Op {
	case OpFlush:
		tx.Flush()
		return
	case OpSwapDB:
		tx.Swap(f.DB, int(f.Int))
		return
	case OpRename:
		applyRename(tx, f)
		return
	}
	e := tx.Write(slices.Clone(f.Key))
	switch f.Op {
	case OpSet:
		if f.Value == nil {
			e.SetInt(f.Int, f.At)
		} else {
			e.SetBytes(f.Value, f.At)
		}
	case OpSetRange:
		e.SetRange(int(f.Int), f.Value)
	case OpDel:
		e.Delete()
	case OpMove:
		e.Move(int(f.Int))
	case OpExpire:
		e.SetExpiry(f.At)
	case OpPersist:
		e.SetExpiry(NoExpiry)
	case OpChange:
		e.Change(f.Change, f.Operands)
	case OpStore:
		t := TypeOf(f.Collection.Kind())
		e.StoreAll(t, f.At, func(add func(Operands)) {
			t.Each(f.Collection, func(o *Operands) bool { add(*o); return true })
		})
	}
}

// applyRename applies a rename. The key may be absent: an earlier effect of the transaction says that
// it holds a collection, which has lost all of its members since.
func applyRename(tx *Tx, f *Effect) {
	if e := tx.Write(slices.Clone(f.Key)); e.Exists() {
		e.Rename(slices.Clone(f.Value))
		return
	}
	e := tx.Write(slices.Clone(f.Value))
	e.Delete()
}

// contents returns everything in a store, also expired keys that are not yet removed.
func contents(s *Store) map[string]string {
	tx := whole(s, 0)
	defer tx.End()
	all := map[string]string{}
	for db := Own; db < s.Databases(); db++ {
		tx.Select(db)
		tx.Each(func(e *Entry) {
			text := string(e.Bytes(nil)) + membersOf(e.Collection())
			all[fmt.Sprint(db, " ", string(e.Key()))] = fmt.Sprintf("%s %s until %d", e.Kind().Name(), text, e.ExpireAt())
		})
	}
	return all
}

// membersOf returns the members of a collection as text. Those without an order of their own are sorted.
func membersOf(c Collection) string {
	if c == nil {
		return ""
	}
	var all []string
	t := TypeOf(c.Kind())
	t.Each(c, func(o *Operands) bool {
		all = append(all, fmt.Sprintf("%q=%q,%v", o.Value, o.More, o.Score))
		return true
	})
	if k := c.Kind(); k == Hash || k == Set {
		slices.Sort(all)
	}
	return strings.Join(all, " ")
}

// requireSame compares two stores' contents and names the first key that differs.
func requireSame(t *testing.T, want, got map[string]string, step int) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			require.Failf(t, "contents differ", "step %d, key %.20q: %.80q, replayed %.80q", step, k, v, got[k])
		}
	}
	require.Len(t, got, len(want), "step %d", step)
}

// TestEffectsSayEverything applies the effects of random transactions, expiry and eviction to a
// second store. Both stores must hold the same.
func TestEffectsSayEverything(t *testing.T) {
	r := seeded(t)
	from, to := New(Options{Databases: 3, Seed: 1}), New(Options{Databases: 3, Seed: 2})
	from.Observe(replayer{to})
	var cursor SweepCursor
	now := testNow
	steps := scaled(30_000)
	for step := range steps {
		now += r.Int63n(20e6)
		switch r.Intn(50) {
		case 0:
			from.Sweep(now, &cursor, r.Intn(2000))
		case 1:
			policy := evictingPolicies[r.Intn(len(evictingPolicies))]
			from.Evict(now, policy, 5, from.Used()-int64(r.Intn(500)))
		default:
			tx := whole(from, now)
			for range 1 + r.Intn(4) {
				tx.Select(r.Intn(3))
				randomWrite(r, tx)
			}
			tx.End()
		}
		if step%500 == 0 {
			requireSame(t, contents(from), contents(to), step)
			for _, s := range []*Store{from, to} {
				tx := whole(s, 0)
				checkInvariants(t, tx)
				tx.End()
			}
		}
	}
	requireSame(t, contents(from), contents(to), steps)
	require.Positive(t, from.Counters().Evicted)
	require.Positive(t, from.Counters().Expired)
}

func randomKey(r *rand.Rand, keys int) []byte {
	key := fmt.Append(nil, "key:", r.Intn(keys))
	if r.Intn(40) == 0 {
		key = append(key, make([]byte, 1500)...)
	}
	return key
}

func randomWrite(r *rand.Rand, tx *Tx) {
	if r.Intn(20) == 0 {
		randomWholeWrite(r, tx)
		return
	}
	randomKeyWrite(r, tx)
}

func randomKeyWrite(r *rand.Rand, tx *Tx) { writeOneOf(r, tx, 200) }

// writeOneOf does a random write to one of a number of keys.
func writeOneOf(r *rand.Rand, tx *Tx, keys int) {
	key := randomKey(r, keys)
	e := tx.Write(key)
	at := NoExpiry
	if r.Intn(2) == 0 {
		at = tx.NowMillis() + 1 + r.Int63n(3000)
	}
	switch op := r.Intn(19); {
	case op < 2:
		e.SetInt(r.Int63n(1000), at)
	case op < 5:
		tat := tx.Now() + 1 + r.Int63n(3e9)
		e.SetInt(tat, table.CeilMillis(tat))
	case op < 7:
		e.SetBytes([]byte([]string{"", "7", "007", "text", string(key)}[r.Intn(5)]), at)
	case op == 7:
		e.Delete()
	case op == 8 && e.Exists():
		e.SetExpiry(at)
	case op < 11 && !e.Kind().IsCollection():
		e.SetRange(r.Intn(30), []byte("range"))
	case op < 14:
		changeMembers(r, &e)
	case op == 14:
		e.ZRem(fmt.Append(nil, "m", r.Intn(6)))
	case op == 15 && e.Kind() == Sorted:
		e.ZRemRange(0, r.Intn(e.Sorted().Len()+1))
	case op == 16:
		e.ZStore([]Item{{Score: 1, Member: "m1"}, {Score: 2, Member: "m2"}, {Score: randomScore(r), Member: "m3"}}[:r.Intn(4)])
	case op < 19 && e.Exists():
		db, dst := r.Intn(3), randomKey(r, keys)
		switch same := db == tx.DB(); {
		case op == 17 && !(same && string(dst) == string(key)):
			e.CopyTo(db, dst)
		case op == 17:
		case !same:
			e.Move(db)
		case string(dst) != string(key):
			e.Rename(dst)
		}
	}
}

// changeMembers changes a collection by a random change of its type, or makes one of a random type.
func changeMembers(r *rand.Rand, e *Entry) {
	t := types[r.Intn(len(types))]
	switch e.Kind() {
	case None:
	case Int, Raw:
		return
	default:
		t = TypeOf(e.Kind())
	}
	var members int
	if t.Kind != Sorted && r.Intn(4) == 0 {
		members = 60 // a large one
	}
	for range 1 + members {
		how := t.Changes[r.Intn(len(t.Changes))]
		e.Change(how, Operands{Value: fmt.Append(nil, []string{"m", ""}[r.Intn(2)], r.Intn(6+members)), More: fmt.Append(nil, r.Intn(50)), Score: randomScore(r), Int: int64(r.Intn(7) - 3), End: int64(r.Intn(80))})
	}
}

func randomWholeWrite(r *rand.Rand, tx *Tx) {
	switch r.Intn(60) {
	case 0:
		tx.Flush()
	case 1, 2, 3:
		tx.Swap(r.Intn(3), r.Intn(3))
	case 4:
		tx.Reserve([]int{0, 3000, 300_000}[r.Intn(3)])
	}
}

// TestEntriesOfOneKey checks that two entries of one key see each other's writes.
func TestEntriesOfOneKey(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	a, b := tx.Write([]byte("k")), tx.Write([]byte("k"))
	a.SetInt(1, NoExpiry)
	require.True(t, b.Exists())
	b.SetInt(2, testNow/1e6+5)
	require.EqualValues(t, 2, a.Int())
	require.Equal(t, testNow/1e6+5, a.ExpireAt())
	require.True(t, a.Delete())
	require.False(t, b.Exists())
	b.ZAdd(1, []byte("m"))
	require.Equal(t, Sorted, a.Kind())
	a.ZRem([]byte("m"))
	require.Equal(t, None, b.Kind())
	checkInvariants(t, tx)
	changes := tx.Changes()
	a.SetExpiry(1)
	require.Zero(t, a.Int())
	require.Equal(t, changes, tx.Changes(), "an absent key has no expiry to change")
	tx.End()
	require.Zero(t, s.Used())
}

// TestEntriesFollowTheirCells checks that an entry finds its cell after other writes moved it.
func TestEntriesFollowTheirCells(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	var early [20]Entry
	for i := range early {
		early[i] = tx.Write(fmt.Append(nil, "{tag}early", i))
		early[i].SetInt(int64(i), NoExpiry)
	}
	for i := range 3000 {
		e := tx.Write(fmt.Append(nil, "{tag}", i))
		e.SetInt(-1, NoExpiry)
		require.EqualValues(t, i%20, early[i%20].Int())
		require.Zero(t, early[i%20].Idle())
	}
	for i := range 3000 {
		e := tx.Write(fmt.Append(nil, "{tag}", i))
		e.Delete()
		require.EqualValues(t, i%20, early[i%20].Int())
	}
}
