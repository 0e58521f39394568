package rdb

import "fmt"

// Unsupported is a key of a type that is not kept here.
type Unsupported struct {
	Offset int64  // of the type, in bytes from the beginning of the file
	Type   string // "list", "module type \"graphdata\""
	Key    string // "" in a payload
}

// Error says all of it in one line.
func (e *Unsupported) Error() string {
	return fmt.Sprintf("rdb: at byte %d: key %.64q is a %s, which is not kept here", e.Offset, e.Key, e.Type)
}

// foreign holds the types that are not kept: their names, and how to read over them. Nil
// is for what does not say where it ends.
var foreign = map[byte]struct {
	name string
	skip func(*source) error
}{
	1:             {"list", func(s *source) error { return s.skipEach(1, 0) }},
	2:             {"set", func(s *source) error { return s.skipEach(1, 0) }},
	4:             {"hash", func(s *source) error { return s.skipEach(2, 0) }},
	typeModuleOld: {"module type", nil},
	typeModule:    {"module type", (*source).skipModule},
	9:             {"hash", (*source).skipText},
	10:            {"list", (*source).skipText},
	11:            {"set", (*source).skipText},
	13:            {"hash", (*source).skipText},
	14:            {"list", func(s *source) error { return s.skipEach(1, 0) }},
	15:            {"stream", func(s *source) error { return s.skipStream(1) }},
	16:            {"hash", (*source).skipText},
	18:            {"list", func(s *source) error { return s.skipEach(1, 1) }},
	19:            {"stream", func(s *source) error { return s.skipStream(2) }},
	20:            {"set", (*source).skipText},
	21:            {"stream", func(s *source) error { return s.skipStream(3) }},
	22:            {"hash", func(s *source) error { return s.skipEach(2, 1) }},
	23:            {"hash", (*source).skipText},
	24:            {"hash", func(s *source) error { return s.after(8, func() error { return s.skipEach(2, 1) }) }},
	25:            {"hash", func(s *source) error { return s.after(8, s.skipText) }},
}

// typeName is what Redis calls a type of value, "" when it is none.
func typeName(kind byte) string {
	switch {
	case kind == typeString:
		return "string"
	case holds(kind):
		return "sorted set"
	}
	return foreign[kind].name
}

// leaveOut reads over a value of a type that is not kept, if it may and can.
func (r *Reader) leaveOut(kind byte, name string, from int64) error {
	if kind == typeModule || kind == typeModuleOld {
		id, err := r.src.length(moduleIdentity)
		if err != nil {
			return err
		}
		name += " " + moduleName(id)
	}
	skip := foreign[kind].skip
	if !r.options.SkipUnsupported || skip == nil {
		return &Unsupported{from, name, string(r.record.Key)}
	}
	if err := skip(&r.src); err != nil {
		return err
	}
	r.skipped[name]++
	r.clear()
	return nil
}

// function reads over a library of functions.
func (r *Reader) function() error {
	r.skipped["function library"]++
	return r.src.skipText()
}

// moduleAux reads over what a module keeps beside its keys.
func (r *Reader) moduleAux() error {
	id, err := r.src.length(moduleIdentity)
	if err != nil {
		return err
	}
	r.skipped["data of module type "+moduleName(id)]++
	return r.src.skipModule()
}

func (s *source) skipText() error {
	_, err := s.text("a value")
	return err
}

// lengths reads over n lengths.
func (s *source) lengths(n int, what string) error {
	for range n {
		if _, err := s.length(what); err != nil {
			return err
		}
	}
	return nil
}

// after reads over n bytes and then what skip does.
func (s *source) after(n uint64, skip func() error) error {
	if _, err := s.take(n, "a value"); err != nil {
		return err
	}
	return skip()
}

// skipEach reads over a count of elements, each some lengths and then some strings.
func (s *source) skipEach(texts, lengths int) error {
	return s.times("the number of elements", func() error {
		if err := s.lengths(lengths, "a number of an element"); err != nil {
			return err
		}
		for range texts {
			if err := s.skipText(); err != nil {
				return err
			}
		}
		return nil
	})
}

// times reads a count, and then does what is to be done so often.
func (s *source) times(what string, do func() error) error {
	n, err := s.length(what)
	for ; err == nil && n > 0; n-- {
		err = do()
	}
	return err
}

const moduleIdentity = "the identity of a module type"

// moduleName is the name in a module type's identity, quoted: nine characters of 6 bits
// each, above the 10 bits of its version.
func moduleName(id uint64) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var name [9]byte
	for i := range name {
		name[i] = alphabet[id>>(64-6*(i+1))&63]
	}
	return fmt.Sprintf("%q", name[:])
}

// skipModule reads over a module's value after its identity: parts that say what they are,
// until one says that it is the end.
func (s *source) skipModule() error {
	for {
		from := s.offset()
		part, err := s.length("a part of a module's value")
		if err != nil || part == moduleEOF {
			return err
		}
		switch part {
		case moduleSigned, moduleUnsigned:
			err = s.lengths(1, "a module's integer")
		case moduleFloat:
			_, err = s.take(4, "a module's float")
		case moduleDouble:
			_, err = s.take(8, "a module's double")
		case moduleString:
			err = s.skipText()
		default:
			err = fault(from, "a part of a module's value", "%d, which is none", part)
		}
		if err != nil {
			return err
		}
	}
}
