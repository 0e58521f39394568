package aof

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"cellserver/store"
)

// Appliers of older releases do not know every form of a body. The feature level of a form is that of the
// first release that knows it:
//
//	3  commands that change values and whole databases
//	4  records of integers
//	6  changes of the server's own database

// BodyLevel is the feature level of the newest form of a body.
const BodyLevel = OwnLevel

const (
	levelOfRecords = 4
	// OwnLevel is the feature level of changes of the server's own database ([store.Own]). No older form has
	// them, so a leader must refuse the commands that make them below this level.
	OwnLevel = 6
)

// ChangeLevels has the feature level of each change of a collection, by its verb. A new change needs a new
// level.
var ChangeLevels = map[string]uint16{
	"ZADD": 3, "ZREM": 3, "HSET": 3, "HDEL": 3, "SADD": 3, "SREM": 3,
	"LPUSH": 3, "RPUSH": 3, "LPOP": 3, "RPOP": 3, "LSET": 3, "LINSERT": 3, "LREM": 3, "LTRIM": 3,
}

// levelOf returns the feature level of a command or of a record.
func levelOf(args [][]byte) uint16 {
	switch {
	case isNumber(args):
		return levelOfRecords
	case isOwn(args):
		return OwnLevel
	}
	return ChangeLevels[string(args[0])]
}

// refuseNewer returns an error for a form that the applier does not know.
func (b *BodyApplier) refuseNewer(args [][]byte) error {
	if level := levelOf(args); level > b.Level {
		return fmt.Errorf("%.30q is a change of feature level %d, and this server knows level %d: install the newer release", args[0], level, b.Level)
	}
	return nil
}

// InOlderForms returns effects that appliers of a feature level know. They leave the same keys as the
// effects of tx, whose locks are held. If one of these effects has a newer form, each key that tx has
// touched gets its whole value instead. ok is false if a key holds a type that these appliers do not know.
func InOlderForms(tx *store.Tx, effects []store.Effect, level uint16) (older []store.Effect, ok bool) {
	isNewer := func(f store.Effect) bool { return levelOfEffect(&f) > level }
	if !slices.ContainsFunc(effects, isNewer) {
		return effects, true
	}
	var touched keys
	for i := range effects {
		f := &effects[i]
		switch f.Op {
		case store.OpFlush:
			older = append(older, *f)
		case store.OpSwapDB:
			older = append(older, *f)
			touched.swap(f.DB, int(f.Int))
		default:
			touched = append(touched, key{f.DB, f.Key})
			if db, name, ok := f.Other(); ok {
				touched = append(touched, key{db, name})
			}
		}
	}
	for _, k := range touched.distinct() {
		older = append(older, whole(tx.Left(k.db, k.name)))
	}
	return older, !slices.ContainsFunc(older, isNewer)
}

// levelOfEffect returns the feature level that an effect needs at least; 0 if every release knows it. An
// integer needs no level, because it can be a command.
func levelOfEffect(f *store.Effect) uint16 {
	switch {
	case f.DB == store.Own:
		return OwnLevel
	case f.Op == store.OpChange:
		return ChangeLevels[f.Change.Verb]
	case f.Op == store.OpStore:
		return ChangeLevels[store.TypeOf(f.Collection.Kind()).Whole.Verb]
	}
	return 0
}

// key is a key of a database.
type key struct {
	db   int
	name []byte
}

type keys []key

// swap gives the keys of two databases the number of the other database.
func (ks keys) swap(one, other int) {
	for i := range ks {
		switch ks[i].db {
		case one:
			ks[i].db = other
		case other:
			ks[i].db = one
		}
	}
}

// distinct returns each key once, sorted by the databases.
func (ks keys) distinct() keys {
	compare := func(a, b key) int { return cmp.Or(cmp.Compare(a.db, b.db), bytes.Compare(a.name, b.name)) }
	slices.SortFunc(ks, compare)
	return slices.CompactFunc(ks, func(a, b key) bool { return compare(a, b) == 0 })
}

// whole returns the effect that makes a key as an image shows it.
func whole(im store.Image) store.Effect {
	f := store.Effect{Op: store.OpSet, DB: im.DB, Key: im.Key, At: im.ExpireAt}
	switch im.Kind {
	case store.None:
		f.Op = store.OpDel
	case store.Int:
		f.Int = im.Int
	case store.Raw:
		f.Value = im.Bytes
	default:
		f.Op, f.Collection = store.OpStore, im.Collection
	}
	return f
}
