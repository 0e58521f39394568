package ruleset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"cellserver/limiters"
	"cellserver/store"
	"cellserver/store/hash"
)

// A stored rule is a hash in the server's own database ([store.Own]). Its field with no name has the text of
// the rule. Each other field has the limits of an override. So a change writes what it changes, and no more.
//
// The ledger of a rule says by which numbers its TATs were counted ([limiters.Ledger]). It is a hash beside
// that of the rule. A field is a tag. Its value is the emission interval, the limit, and since and until
// when they count. So a change of a rule writes a line or two. A server that knows no ledgers ignores the
// hash.

// keyTag begins the key of each rule, so that all of them have one slot. The name of the rule follows.
const keyTag = "{cl.rules}"

var slot = store.Slot([]byte(keyTag))

// Slot returns the hash slot of all stored rules.
func Slot() uint16 { return slot }

// ledgerTag begins the key of each ledger. It has the slot of the rules. The name of the rule follows.
const ledgerTag = "ledger" + keyTag

// textField is the field with the text of a rule.
var textField = []byte{}

// changeKey changes a key of the server's own database.
func changeKey(tx *store.Tx, key string, do func(e *store.Entry)) {
	db := tx.DB()
	tx.Select(store.Own)
	defer tx.Select(db)
	e := tx.Write([]byte(key))
	do(&e)
}

// setField makes a field of a rule hold a text.
func setField(e *store.Entry, field []byte, text string) {
	e.Change(hash.Set, store.Operands{Value: field, More: []byte(text)})
}

// removeField removes a field of a rule.
func removeField(e *store.Entry, field []byte) { e.Change(hash.Delete, store.Operands{Value: field}) }

// changeLedger makes the hash of a ledger hold the lines of another one.
func changeLedger(tx *store.Tx, name string, before, l *limiters.Ledger) {
	changeKey(tx, ledgerTag+name, func(e *store.Entry) {
		old, lines := before.Lines(), l.Lines()
		for _, tag := range slices.Sorted(maps.Keys(old)) {
			if _, stays := lines[tag]; !stays {
				removeField(e, tagField(tag))
			}
		}
		for _, tag := range slices.Sorted(maps.Keys(lines)) {
			if one := lines[tag]; old[tag] != one {
				setField(e, tagField(tag), fmt.Sprint(one.Interval, one.Limit, one.Began, one.Ended))
			}
		}
	})
}

func tagField(tag int64) []byte { return strconv.AppendInt(nil, tag, 10) }

// readLedger parses a stored ledger. It leaves out what is no line.
func readLedger(h hash.Hash) *limiters.Ledger {
	lines := map[int64]limiters.Line{}
	h.Each(func(field, value []byte) bool {
		readLine(lines, field, value)
		return true
	})
	return limiters.NewLedger(lines)
}

func readLine(lines map[int64]limiters.Line, field, value []byte) {
	var one limiters.Line
	tag, err := strconv.ParseInt(string(field), 10, 64)
	n, _ := fmt.Sscan(string(value), &one.Interval, &one.Limit, &one.Began, &one.Ended)
	if delete(lines, tag); err == nil && n == 4 && one.Interval > 0 && one.Limit > 0 {
		lines[tag] = one
	}
}

// ledgerAfter returns a ledger after an effect on its hash, nil if there is none any more.
func ledgerAfter(l *limiters.Ledger, f *store.Effect) *limiters.Ledger {
	switch f.Op {
	case store.OpStore:
		return readLedger(hash.Of(f.Collection))
	case store.OpChange:
		lines := maps.Clone(l.Lines())
		if lines == nil {
			lines = map[int64]limiters.Line{}
		}
		readLine(lines, f.Value, f.More) // without a value the line is gone
		return limiters.NewLedger(lines)
	}
	return nil
}
