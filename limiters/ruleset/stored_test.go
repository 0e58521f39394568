package ruleset

import (
	"bytes"
	"fmt"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// world is a store with rules that follow it.
type world struct {
	*Rules
	t       testing.TB
	store   *store.Store
	effects int // of the last transaction
	bytes   int // that these effects write
}

func newWorld(t testing.TB) *world {
	w := &world{Rules: &Rules{}, t: t, store: store.New(store.Options{Databases: 2})}
	w.store.Observe(w)
	return w
}

// Committed implements [store.Observer].
func (w *world) Committed(tx *store.Tx, effects []store.Effect) {
	w.effects, w.bytes = len(effects), int(tx.EffectBytes())
	w.Rules.Committed(tx, effects)
}

// do runs a transaction that has the lock.
func (w *world) do(f func(tx *store.Tx)) {
	var fp store.Footprint
	w.Lock(&fp)
	tx := w.store.NewTx()
	tx.Begin(1, 0, &fp)
	defer tx.End()
	f(tx)
}

func (w *world) set(name, limits string) {
	w.do(func(tx *store.Tx) { require.NoError(w.t, w.Set(tx, name, words(limits))) })
}

func (w *world) override(name, key, limits string) {
	w.do(func(tx *store.Tx) {
		_, err := w.Override(tx, name, noScope, []byte(key), words(limits))
		require.NoError(w.t, err)
	})
}

// fill makes rules, each with as many overrides as a rule may have.
func (w *world) fill(rules int) {
	for r := range rules {
		name := fmt.Sprint("rule", r)
		one, err := Parse(name, words("CL.WINDOW 5 60"))
		require.NoError(w.t, err)
		for i := range MaxOverrides {
			s, o, err := one.override(noScope, fmt.Sprint("key", i), words("CL.WINDOW 7 60"))
			require.NoError(w.t, err)
			s.overrides = s.overrides.put(fmt.Sprint("key", i), o)
		}
		w.do(func(tx *store.Tx) { require.NoError(w.t, w.put(tx, w.Load(tx), one, one.storeWhole)) })
	}
}

// places returns where the parsed overrides of a rule lie.
func places(one *Rule) map[string]*override {
	all := map[string]*override{}
	one.Scopes[0].overrides.each(func(key string, o *override) { all[key] = o })
	return all
}

// TestAChangeCostsWhatItChanges has 102,400 overrides. A change of a rule or of an override logs its own text, and parses nothing
// else: each other override is the same parsed one as before. A node that follows parses as little.
func TestAChangeCostsWhatItChanges(t *testing.T) {
	w, follower := newWorld(t), &Rules{}
	w.fill(25)
	var fp store.Footprint
	follower.Lock(&fp)
	w.do(func(tx *store.Tx) { follower.Load(tx) })
	w.store.Observe(observer(follower.follow))
	for name, change := range map[string]func(){
		"text":     func() { w.set("rule7", "CL.WINDOW 6 60") },
		"override": func() { w.override("rule7", "key9", "CL.WINDOW 8 60") },
		"removal":  func() { w.override("rule7", "key8", "") },
		"new":      func() { w.set("new", "CL.WINDOW 6 60") },
	} {
		before := [2]*set{w.stored.Load(), follower.stored.Load()}
		change()
		require.LessOrEqual(t, w.effects, 1, name)
		require.Less(t, w.bytes, 100, name)
		for i, r := range []*Rules{w.Rules, follower} {
			after := r.stored.Load()
			require.NotSame(t, before[i], after)
			for rule, was := range before[i].byName {
				if rule != "rule7" {
					require.Same(t, was, after.byName[rule], name)
				}
			}
			others, now := 0, places(after.byName["rule7"])
			for key, o := range places(before[i].byName["rule7"]) {
				if now[key] != o {
					others++
				}
			}
			require.LessOrEqual(t, others, 1, "%s: nothing else was parsed", name)
		}
	}
}

// observer passes effects on the server's own database to a function.
type observer func(f *store.Effect)

// Committed implements [store.Observer].
func (o observer) Committed(_ *store.Tx, effects []store.Effect) {
	for i := range effects {
		if effects[i].DB == store.Own {
			o(&effects[i])
		}
	}
}

// TestTheMemoryOfRulesHasABound: rules beyond it are an error that names it. What makes them smaller is none.
func TestTheMemoryOfRulesHasABound(t *testing.T) {
	w := newWorld(t)
	w.set("rule", "CL.WINDOW 5 60")
	w.override("rule", "a", "CL.WINDOW 5 60")
	w.stored.Load().bytes = MaxBytes // as if there were more
	w.do(func(tx *store.Tx) {
		require.Equal(t, ErrMaxBytes, w.Set(tx, "other", words("CL.WINDOW 5 60")))
		_, err := w.Override(tx, "rule", noScope, []byte("b"), words("CL.WINDOW 5 60"))
		require.Equal(t, ErrMaxBytes, err)
		require.ErrorContains(t, ErrMaxBytes, "268435456 bytes")
		require.Zero(t, tx.Changes())
	})
	w.override("rule", "a", "")
	require.EqualValues(t, MaxBytes, w.Bytes()+overrideBytes+limitBytes+int64(2*(len("a")+len("CL.WINDOW 5 60")))+int64(len("CL.WINDOW 5 60")))
}

// TestBytesAreThoseOfWhatIsThere: after any changes, the count is that of the rules that are there.
func TestBytesAreThoseOfWhatIsThere(t *testing.T) {
	w := newWorld(t)
	for i := range 300 {
		w.set("rule", "CL.WINDOW 5 60"+string(bytes.Repeat([]byte(" AND CL.LOG 1 1"), i%4)))
		w.override("rule", fmt.Sprint(i%17), []string{"", "CL.LOG 5 60", "CL.LOG 5 60 AND CL.WINDOW 1 1"}[i%3])
		if i%50 == 49 {
			w.do(func(tx *store.Tx) {
				_, err := w.Delete(tx, []byte("rule"))
				require.NoError(t, err)
			})
		}
		before := w.Bytes()
		w.Forget()
		w.do(func(tx *store.Tx) { w.Load(tx) })
		require.Equal(t, before, w.Bytes())
	}
}

// TestARulesChangeThatIsTakenBack leaves the rules as they were.
func TestARulesChangeThatIsTakenBack(t *testing.T) {
	w := newWorld(t)
	w.set("rule", "CL.WINDOW 5 60")
	w.do(func(tx *store.Tx) {
		tx.KeepUndo()
		require.NoError(t, w.Set(tx, "rule", words("CL.WINDOW 6 60")))
		text, _ := w.Get(tx, []byte("rule"))
		require.Equal(t, "CL.WINDOW 6 60", text)
		tx.Rollback()
		text, _ = w.Get(tx, []byte("rule"))
		require.Equal(t, "CL.WINDOW 5 60", text)
	})
	w.do(func(tx *store.Tx) {
		text, _ := w.Get(tx, []byte("rule"))
		require.Equal(t, "CL.WINDOW 5 60", text)
	})
}
