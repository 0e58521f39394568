package rdb

import (
	"fmt"

	"cellserver/persistence/rdb/encoding"
)

// Unsupported is the error of a key whose type the server does not keep, or of another part of a file.
type Unsupported struct {
	Offset int64  // from the beginning of the file; of a key that of its type byte
	Type   string // for example "stream", or "module type \"graphdata\""
	Key    string // "" in a payload, and for other parts
}

// Error returns all fields in one line.
func (e *Unsupported) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("rdb: at byte %d: the file has an unsupported part: %s", e.Offset, e.Type)
	}
	return fmt.Sprintf("rdb: at byte %d: key %.64q has the unsupported type %s", e.Offset, e.Key, e.Type)
}

// skipFunc reads a value and drops it.
type skipFunc func(*encoding.Decoder) error

// Type bytes of values that are not kept.
const (
	typeModuleOld    = 6 // such a value does not say where it ends
	typeModule       = 7
	typeHashExpiring = 22
)

// keydbMember is the fact in which KeyDB names a member that has an expiry of its own.
const keydbMember = "keydb-subexpire-key"

// valkeyHash is what Valkey 9 writes with a type byte that Redis uses in another way. Each field has an
// expiry.
var valkeyHash = typeInfo{
	name: "hash with expiring fields",
	skip: skipCounted("the number of fields", skipField),
}

// skipField skips a field of a hash, its value and its expiry.
func skipField(d *encoding.Decoder) error {
	if err := skipText(d); err != nil {
		return err
	}
	if err := skipText(d); err != nil {
		return err
	}
	_, err := d.Take(8, "the expiry of a field")
	return err
}

// unsupportedTypes has Redis's other types: their names, and how to skip a value. skip is nil if the value
// does not say where it ends.
var unsupportedTypes = map[byte]struct {
	name string
	skip skipFunc
}{
	typeModuleOld:    {"module type", nil},
	typeModule:       {"module type", skipModule},
	15:               {"stream", skipStream(1)},
	19:               {"stream", skipStream(2)},
	21:               {"stream", skipStream(3)},
	typeHashExpiring: {"hash with expiring fields", skipElements(2, 1)},
	23:               {"hash with expiring fields", skipText},
	24:               {"hash with expiring fields", skipBytes(8, skipElements(2, 1))},
	25:               {"hash with expiring fields", skipBytes(8, skipText)},
}

func skipText(d *encoding.Decoder) error {
	_, err := d.Text("a value")
	return err
}

// skipBytes skips n bytes and then what next skips.
func skipBytes(n uint64, next skipFunc) skipFunc {
	return func(d *encoding.Decoder) error {
		if _, err := d.Take(n, "a value"); err != nil {
			return err
		}
		return next(d)
	}
}

// skipElements skips a count of elements. Each element has some lengths and then some strings.
func skipElements(texts, lengths int) skipFunc {
	return skipCounted("the number of elements", func(d *encoding.Decoder) error {
		if err := d.Lengths(lengths, "a number of an element"); err != nil {
			return err
		}
		for range texts {
			if err := skipText(d); err != nil {
				return err
			}
		}
		return nil
	})
}

// skipCounted reads a count, and calls one this number of times.
func skipCounted(what string, one skipFunc) skipFunc {
	return func(d *encoding.Decoder) error {
		n, err := d.Length(what)
		for ; err == nil && n > 0; n-- {
			err = one(d)
		}
		return err
	}
}

// streamIDSize is the size of an entry's ID, unless the ID is written as two lengths.
const streamIDSize = 16

// skipStream skips a stream in the first, second or third format of streams: its entries, its numbers, and
// its groups.
func skipStream(format int) skipFunc {
	entries := skipElements(2, 0)
	counts := 1 + 2 // the length and the last ID
	if format >= 2 {
		counts += 2 + 2 + 1 // the first ID, the greatest deleted ID, the number of all added entries
	}
	groups := skipCounted("the number of groups", skipGroup(format))
	return func(d *encoding.Decoder) error {
		if err := entries(d); err != nil {
			return err
		}
		if err := d.Lengths(counts, "a number of a stream"); err != nil {
			return err
		}
		return groups(d)
	}
}

// skipGroup skips a group: its name, its numbers, its pending entries, and its consumers.
func skipGroup(format int) skipFunc {
	counts := 2 // the last ID
	if format >= 2 {
		counts++ // the number of read entries
	}
	pending := skipCounted("the number of pending entries",
		skipBytes(streamIDSize+8, func(d *encoding.Decoder) error {
			return d.Lengths(1, "the number of deliveries of an entry")
		}))
	consumers := skipCounted("the number of consumers", skipConsumer(format))
	return func(d *encoding.Decoder) error {
		if err := skipText(d); err != nil {
			return err
		}
		if err := d.Lengths(counts, "a number of a group"); err != nil {
			return err
		}
		if err := pending(d); err != nil {
			return err
		}
		return consumers(d)
	}
}

// skipConsumer skips a consumer: its name, its times, and the IDs of its pending entries.
func skipConsumer(format int) skipFunc {
	times := uint64(8) // last seen
	if format >= 3 {
		times += 8 // last active
	}
	rest := skipBytes(times, skipCounted("the number of pending entries", func(d *encoding.Decoder) error {
		_, err := d.Take(streamIDSize, "a value")
		return err
	}))
	return func(d *encoding.Decoder) error {
		if err := skipText(d); err != nil {
			return err
		}
		return rest(d)
	}
}

// moduleID names what moduleName gets, in errors.
const moduleID = "the ID of a module type"

// moduleName returns the quoted name in the ID of a module type: nine characters of 6 bits
// each. The lowest 10 bits of the ID are its version.
func moduleName(id uint64) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var name [9]byte
	for i := range name {
		name[i] = alphabet[id>>(64-6*(i+1))&63]
	}
	return fmt.Sprintf("%q", name[:])
}

// The parts of a module's value.
const (
	moduleEOF = iota
	moduleSigned
	moduleUnsigned
	moduleFloat
	moduleDouble
	moduleString
)

// skipModule skips a module's value after its ID: parts with their types, up to moduleEOF.
func skipModule(d *encoding.Decoder) error {
	for {
		from := d.Offset()
		part, err := d.Length("a part of a module's value")
		if err != nil || part == moduleEOF {
			return err
		}
		switch part {
		case moduleSigned, moduleUnsigned:
			err = d.Lengths(1, "a module's integer")
		case moduleFloat:
			_, err = d.Take(4, "a module's float")
		case moduleDouble:
			_, err = d.Take(8, "a module's double")
		case moduleString:
			err = skipText(d)
		default:
			err = encoding.Errorf(from, "a part of a module's value", "the unknown part %d", part)
		}
		if err != nil {
			return err
		}
	}
}
