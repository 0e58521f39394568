package commands

import (
	"strings"

	"cellserver/resp"
)

// keySpec is one key specification, as COMMAND INFO shows it: keys that are used alike.
// Source: https://redis.io/docs/latest/develop/reference/key-specs/
type keySpec struct {
	access  []string
	First   int
	Last    int // relative to first; -1: up to the last argument
	Step    int
	NumKeys bool // first is the position of a count, and the keys follow it
}

// Specs derives the key specifications of key positions. Access names the flags of each,
// separated by ';', when its keys are used differently: "RW ACCESS DELETE; OW UPDATE".
func (k Keys) Specs() []keySpec {
	access := strings.Split(k.Access, ";")
	if k.Access == "" {
		access = []string{"RO ACCESS"}
	}
	flags := func(i int) []string { return strings.Fields(access[min(i, len(access)-1)]) }
	var specs []keySpec
	switch {
	case k.First > 0 && len(access) > 1 && k.NumKeys == 0:
		for i := range access {
			specs = append(specs, keySpec{access: flags(i), First: k.First + i, Step: 1})
		}
	case k.First > 0:
		last := k.Last
		if last > 0 {
			last -= k.First
		}
		specs = append(specs, keySpec{access: flags(0), First: k.First, Last: last, Step: k.Step})
	}
	if k.NumKeys > 0 {
		specs = append(specs, keySpec{access: flags(len(access) - 1), First: k.NumKeys, Step: k.step(), NumKeys: true})
	}
	return specs
}

func (s keySpec) Reply(w *resp.Writer) {
	w.Map(3)
	w.BulkString("flags")
	s.ReplyAccess(w)
	w.BulkString("begin_search")
	w.Map(2)
	Field(w, "type", "index")
	w.BulkString("spec")
	w.Map(1)
	Number(w, "index", int64(s.First))
	w.BulkString("find_keys")
	w.Map(2)
	if s.NumKeys {
		Field(w, "type", "keynum")
		w.BulkString("spec")
		w.Map(3)
		Number(w, "keynumidx", 0)
		Number(w, "firstkey", 1)
		Number(w, "keystep", int64(s.Step))
		return
	}
	Field(w, "type", "range")
	w.BulkString("spec")
	w.Map(3)
	Number(w, "lastkey", int64(s.Last))
	Number(w, "keystep", int64(s.Step))
	Number(w, "limit", 0)
}

// ReplyAccess writes the flags as Redis spells them: only RO, RW, OW and RM are in
// capitals.
func (s keySpec) ReplyAccess(w *resp.Writer) {
	w.Set(len(s.access))
	for _, f := range s.access {
		if len(f) > 2 {
			f = strings.ToLower(f)
		}
		w.Simple(f)
	}
}

// HasKeys reports whether a command's arguments may name keys.
func (c *Command) HasKeys() bool { return c.Keys.First > 0 || c.Keys.NumKeys > 0 }

// LegacyRange is the first key, last key and step of COMMAND INFO, from before key
// specifications.
func (c *Command) LegacyRange() (first, last, step int) {
	if c.Keys.First == 0 {
		return 0, 0, 0
	}
	return c.Keys.First, c.Keys.Last, c.Keys.Step
}
