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
	if len(key) > 0 && !bytes.ContainsAny(key, "{}") {
		to = append(append(append(to, '{'), key...), '}', ':')
		return append(to, suffix...), nil
	}
	to = append(append(append(to, key...), ':'), suffix...)
	if store.Slot(to) != store.Slot(key) {
		return nil, errSlot
	}
	return to, nil
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

// equal reports whether two states are the same.
func (k *kept) equal(other *kept) bool {
	return k.State == other.State && k.shares.equal(other.shares)
}

// lastRead is the last state that was read, and its text.
type lastRead struct {
	text []byte
	kept kept
}

// load reads the state that a key holds, and reports whether there is one. The same text as the last one is
// not read again.
func (f *Flight) load() (exists bool, err error) {
	f.kept = kept{}
	if !f.state.Exists() {
		return false, nil
	}
	if f.state.Kind() == store.Raw {
		text := f.state.Bytes(nil)
		if len(text) > 0 && bytes.Equal(text, f.last.text) {
			f.kept = f.last.kept
			return true, nil
		}
		if f.kept.read(text) {
			f.last = lastRead{append(f.last.text[:0], text...), f.kept}
			return true, nil
		}
	}
	return false, rediserr.Error("ERR the key " + quote.Word(f.name) +
		" holds no state of an adaptive limit: delete it, or use another key for the limit")
}
