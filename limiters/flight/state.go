package flight

import (
	"bytes"

	"cellserver/internal/decimal"
	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/limiters/adaptive"
	"cellserver/store"
)

// stateSuffix ends the name of the key that has the state of an adaptive limit.
const stateSuffix = "adaptive"

// stateForm is the first word of a state. Another form has another word.
const stateForm = "adaptive1"

const errSlot rediserr.Error = "ERR key must have no braces, or a hash tag such as {user}: " +
	"the state of the limit has the slot of the key"

// besideKey appends the name of a key of the same limit, in the slot of `key`: {key}:suffix, or key:suffix
// if the key has braces.
func besideKey(to, key []byte, suffix string) ([]byte, error) {
	if len(key) > 0 && bytes.IndexByte(key, '{') < 0 && bytes.IndexByte(key, '}') < 0 {
		to = append(append(append(to, '{'), key...), '}', ':')
		return append(to, suffix...), nil
	}
	to = append(append(append(to, key...), ':'), suffix...)
	if store.Slot(to) != store.Slot(key) {
		return nil, errSlot
	}
	return to, nil
}

// stored is the key that has the state.
type stored struct {
	store.Entry
	name   []byte
	of     []byte // the key of the limit, a part of the name; nil if there is no name
	text   []byte // that the key holds; empty if there is no state
	exists bool   // there is a state
}

// kept is the state of an adaptive limit in its key: the numbers of its algorithm, and its partitions.
type kept struct {
	adaptive.State
	shares shares
}

// read parses a state. It reports whether a limit can have left it.
func (k *kept) read(text []byte) (ok bool) {
	form, rest := nextWord(text)
	name, rest := nextWord(rest)
	if string(form) != stateForm {
		return false
	}
	for k.Algorithm = 0; k.Algorithm.String() != string(name); {
		if k.Algorithm++; k.Algorithm == adaptive.Algorithms {
			return false
		}
	}
	if k.Size, rest, ok = nextInteger(rest); !ok {
		return false
	}
	for i := range k.Memory {
		if k.Memory[i], rest, ok = nextInteger(rest); !ok {
			return false
		}
	}
	if len(rest) > 0 {
		rest = bytes.Clone(rest) // the names stay after the key has changed
	}
	for len(rest) > 0 {
		var one share
		one.name, rest = nextWord(rest)
		one.percent, rest, ok = nextInteger(rest)
		if !ok || one.percent < 0 || one.percent > 100 || !isShareName(one.name) || !k.shares.add(one) {
			return false
		}
	}
	return k.Valid()
}

// nextWord splits a text at its first space.
func nextWord(text []byte) (first, rest []byte) {
	if i := bytes.IndexByte(text, ' '); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// nextInteger parses the first word of a text.
func nextInteger(text []byte) (n int64, rest []byte, ok bool) {
	first, rest := nextWord(text)
	n, ok = decimal.Parse(first)
	return n, rest, ok
}

// text returns what the key holds.
func (k *kept) text() []byte {
	const usual = 160
	to := append(append(make([]byte, 0, usual), stateForm+" "...), k.Algorithm.String()...)
	to = decimal.Append(append(to, ' '), k.Size)
	for _, n := range k.Memory {
		to = decimal.Append(append(to, ' '), n)
	}
	for _, one := range k.shares {
		to = append(append(append(to, ' '), one.name...), ' ')
		to = decimal.Append(to, one.percent)
	}
	return to
}

// setName sets the name to that of the state of a key.
func (s *stored) setName(key []byte) (err error) {
	if s.of != nil && bytes.Equal(s.of, key) {
		return nil
	}
	if s.name, err = besideKey(s.name[:0], key, stateSuffix); err != nil {
		s.of = nil
		return err
	}
	begin := bytes.Index(s.name, key)
	s.of = s.name[begin:][:len(key)]
	return nil
}

// read reads the state of the limit. The same text as the last one is not parsed again.
func (f *Flight) read() (err error) {
	if err = f.state.setName(f.key); err != nil {
		return err
	}
	f.tx.FindIn(&f.state.Entry, f.state.name, false)
	stale := f.changed
	f.changed = false
	if f.state.exists = f.state.Exists(); !f.state.exists {
		f.state.text, f.kept = f.state.text[:0], kept{}
		return nil
	}
	text := f.state.Bytes(nil)
	if !stale && len(f.state.text) > 0 && bytes.Equal(text, f.state.text) {
		return nil
	}
	f.kept = kept{}
	if f.state.text = f.state.text[:0]; f.kept.read(text) {
		f.state.text = append(f.state.text, text...)
		return nil
	}
	return rediserr.Error("ERR the key " + quote.Word(f.state.name) +
		" holds no state of an adaptive limit: delete it, or use another key for the limit")
}
