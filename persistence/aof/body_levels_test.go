package aof

import (
	"maps"
	"math/rand/v2"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// leveled is an observer that collects effects in a body for appliers of a feature level.
type leveled struct {
	t     *testing.T
	body  *Body
	level uint16
}

func (l leveled) Committed(tx *store.Tx, effects []store.Effect) {
	older, ok := InOlderForms(tx, effects, l.level)
	require.True(l.t, ok)
	l.body.Append(older)
}

// pretendNewer gives random changes a level above all others until the test ends. It skips the changes that make whole values.
func pretendNewer(t *testing.T, r *rand.Rand) {
	before := maps.Clone(ChangeLevels)
	t.Cleanup(func() { maps.Copy(ChangeLevels, before) })
	for _, of := range store.Types() {
		for _, how := range of.Changes {
			if how != of.Whole && r.IntN(2) == 0 {
				ChangeLevels[how.Verb] = BodyLevel + 1
			}
		}
	}
}

// TestOlderBodiesMakeTheSameStore: random transactions of all kinds make the same store at an applier that knows only some
// of the changes, and no records.
func TestOlderBodiesMakeTheSameStore(t *testing.T) {
	r := seeded(t)
	for range 30 {
		t.Run("", func(t *testing.T) {
			pretendNewer(t, r)
			one, other, level := newStore(), newStore(), uint16(3+r.IntN(2))
			body := NewBody(level)
			one.Observe(leveled{t, &body, level})
			tx := other.NewTx()
			tx.Silent, tx.KeepExpired = true, true
			apply := NewBodyApplier(other, tx)
			apply.Level = level
			for range 100 {
				write(one, now, func(tx *store.Tx) {
					for range 1 + r.IntN(6) {
						tx.Select(r.IntN(3))
						if r.IntN(20) == 0 {
							tx.Swap(r.IntN(3), r.IntN(3))
						}
						randomWrite(r, tx)
					}
				})
				p := body.AppendTo(nil)
				require.NoError(t, apply.Apply(p, now), "%q", p)
				requireSame(t, contents(one), contents(other))
			}
		})
	}
}

// TestOneNewerChangeMakesWholeKeys: the other changes of the transaction are in the values, and are not applied twice.
func TestOneNewerChangeMakesWholeKeys(t *testing.T) {
	before := ChangeLevels["LTRIM"]
	t.Cleanup(func() { ChangeLevels["LTRIM"] = before })
	ChangeLevels["LTRIM"] = BodyLevel + 1
	one := newStore()
	body := NewBody(3)
	one.Observe(leveled{t, &body, 3})
	changes := map[string]*store.Change{}
	for _, how := range store.TypeOf(store.List).Changes {
		changes[how.Verb] = how
	}
	write(one, now, func(tx *store.Tx) {
		e := tx.Write([]byte("list"))
		for _, v := range []string{"a", "b", "c"} {
			e.Change(changes["RPUSH"], store.Operands{Value: []byte(v)})
		}
		e.Change(changes["LTRIM"], store.Operands{Int: 1, End: 2})
		e = tx.Write([]byte("empty"))
		e.SetBytes([]byte{}, store.NoExpiry)
		e = tx.Write([]byte("gone"))
		e.SetInt(1, store.NoExpiry)
		e.Delete()
	})
	require.Equal(t, "*1\r\n$5\r\nMULTI\r\n"+
		"*3\r\n$3\r\nSET\r\n$5\r\nempty\r\n$0\r\n\r\n*2\r\n$3\r\nDEL\r\n$4\r\ngone\r\n"+
		"*2\r\n$3\r\nDEL\r\n$4\r\nlist\r\n*4\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$1\r\nb\r\n$1\r\nc\r\n*1\r\n$4\r\nEXEC\r\n", string(body.AppendTo(nil)))
}

// TestATypeThatOlderNodesDoNotKnow: a value of such a type has no older form.
func TestATypeThatOlderNodesDoNotKnow(t *testing.T) {
	s := newStore()
	refused := 0
	s.Observe(observed(func(tx *store.Tx, effects []store.Effect) {
		if _, ok := InOlderForms(tx, effects, 2); !ok {
			refused++
		}
	}))
	push := store.TypeOf(store.List).Whole
	write(s, now, func(tx *store.Tx) {
		e := tx.Write([]byte("list"))
		e.Change(push, store.Operands{Value: []byte("a")})
	})
	require.Equal(t, 1, refused)
	write(s, now, func(tx *store.Tx) {
		e := tx.Write([]byte("list"))
		e.Change(push, store.Operands{Value: []byte("a")})
		e.Delete()
	})
	require.Equal(t, 1, refused, "nobody sees the value")

	s, refused = newStore(), 0
	s.Observe(observed(func(tx *store.Tx, effects []store.Effect) {
		if _, ok := InOlderForms(tx, effects, OwnLevel-1); !ok {
			refused++
		}
	}))
	write(s, now, func(tx *store.Tx) {
		tx.Select(store.Own)
		e := tx.Write([]byte("k"))
		e.SetInt(1, store.NoExpiry)
	})
	require.Equal(t, 1, refused, "an older node would not keep it")
}

// observed is a function as an observer.
type observed func(tx *store.Tx, effects []store.Effect)

func (o observed) Committed(tx *store.Tx, effects []store.Effect) { o(tx, effects) }

// TestAppliersRefuseNewerForms: each form is refused below its level, and applied from there on.
func TestAppliersRefuseNewerForms(t *testing.T) {
	for body, level := range map[string]uint16{
		"*4\r\n$4\r\nZADD\r\n$1\r\nk\r\n$1\r\n1\r\n$1\r\nm\r\n": 3,
		"*4\r\n$4\r\nHSET\r\n$1\r\nk\r\n$1\r\n1\r\n$1\r\nm\r\n": 3,
		"*3\r\n$5\r\nRPUSH\r\n$1\r\nk\r\n$1\r\nm\r\n":           3,
		"\x01\x01k12345678": 4,
		"\x03\x01k12345678": 4,
		"*2\r\n$4\r\nECHO\r\n$36\r\ncellserver-own\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n\r\n": 6,
	} {
		for knows := uint16(1); knows <= BodyLevel; knows++ {
			s := newStore()
			apply := NewBodyApplier(s, s.NewTx())
			apply.Level = knows
			if err := apply.Apply([]byte(body), now); knows >= level {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "install the newer release", "%q", body)
			}
		}
	}
}

// TestIntegersOfOlderBodiesAreCommands: every release knows these commands.
func TestIntegersOfOlderBodiesAreCommands(t *testing.T) {
	body := NewBody(3)
	body.Append([]store.Effect{{Op: store.OpSet, Key: []byte("k"), At: store.ExpiryOfTAT(now), Operands: store.Operands{Int: now}}})
	require.Contains(t, string(body.AppendTo(nil)), "*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$19\r\n")
	body = NewBody(4)
	body.Append([]store.Effect{{Op: store.OpSet, Key: []byte("k"), At: store.ExpiryOfTAT(now), Operands: store.Operands{Int: now}}})
	require.Equal(t, byte(recordTAT), body.AppendTo(nil)[0])
}
