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
// when they count. A change writes the lines that change. A server that knows no ledgers ignores the hash.

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
	old, lines := before.Lines(), l.Lines()
	var changed []int64
	for tag := range old {
		if _, stays := lines[tag]; !stays {
			changed = append(changed, tag)
		}
	}
	for tag, one := range lines {
		if old[tag] != one {
			changed = append(changed, tag)
		}
	}
	slices.Sort(changed)
	changeKey(tx, ledgerTag+name, func(e *store.Entry) {
		switch {
		case len(lines) == 0:
			e.Delete()
			return
		case len(changed) > mostLineChanges:
			storeLines(e, lines)
			return
		}
		for _, tag := range changed {
			if one, stays := lines[tag]; stays {
				setField(e, tagField(tag), lineText(one))
			} else {
				removeField(e, tagField(tag))
			}
		}
	})
}

// mostLineChanges is how many lines of a ledger change one by one. A follower makes a ledger for each change, so more
// of them are one change of the whole hash.
const mostLineChanges = 16

// storeLines makes a hash hold these lines and nothing else.
func storeLines(e *store.Entry, lines map[int64]limiters.Line) {
	e.StoreAll(hash.Type, store.NoExpiry, func(add func(store.Operands)) {
		for _, tag := range slices.Sorted(maps.Keys(lines)) {
			add(store.Operands{Value: tagField(tag), More: []byte(lineText(lines[tag]))})
		}
	})
}

func lineText(one limiters.Line) string {
	return fmt.Sprint(one.Interval, one.Limit, one.Began, one.Ended)
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
	if err != nil {
		return
	}
	n, _ := fmt.Sscan(string(value), &one.Interval, &one.Limit, &one.Began, &one.Ended)
	if delete(lines, tag); n == 4 && one.Interval > 0 && one.Limit > 0 {
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
