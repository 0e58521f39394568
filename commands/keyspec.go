package commands

import (
	"strings"

	"cellserver/resp"
)

// keySpec is one key specification, as COMMAND INFO shows it: keys that are used alike.
// Source: https://redis.io/docs/latest/develop/reference/key-specs/
type keySpec struct {
	access  []string
	first   int
	last    int // relative to first; -1: up to the last argument
	step    int
	numKeys bool // first is the position of a count, and the keys follow it
}

// specs derives the key specifications of key positions. Access names the flags of each,
// separated by ';', when its keys are used differently: "RW ACCESS DELETE; OW UPDATE".
func (k Keys) specs() []keySpec {
	access := strings.Split(k.Access, ";")
	if k.Access == "" {
		access = []string{"RO ACCESS"}
	}
	flags := func(i int) []string { return strings.Fields(access[min(i, len(access)-1)]) }
	var specs []keySpec
	switch {
	case k.First > 0 && len(access) > 1 && k.NumKeys == 0:
		for i := range access {
			specs = append(specs, keySpec{access: flags(i), first: k.First + i, step: 1})
		}
	case k.First > 0:
		last := k.Last
		if last > 0 {
			last -= k.First
		}
		specs = append(specs, keySpec{access: flags(0), first: k.First, last: last, step: k.Step})
	}
	if k.NumKeys > 0 {
		specs = append(specs, keySpec{access: flags(len(access) - 1), first: k.NumKeys, step: k.step(), numKeys: true})
	}
	return specs
}

func (s keySpec) reply(w *resp.Writer) {
	w.Map(3)
	w.BulkString("flags")
	s.replyAccess(w)
	w.BulkString("begin_search")
	w.Map(2)
	field(w, "type", "index")
	w.BulkString("spec")
	w.Map(1)
	number(w, "index", int64(s.first))
	w.BulkString("find_keys")
	w.Map(2)
	if s.numKeys {
		field(w, "type", "keynum")
		w.BulkString("spec")
		w.Map(3)
		number(w, "keynumidx", 0)
		number(w, "firstkey", 1)
		number(w, "keystep", int64(s.step))
		return
	}
	field(w, "type", "range")
	w.BulkString("spec")
	w.Map(3)
	number(w, "lastkey", int64(s.last))
	number(w, "keystep", int64(s.step))
	number(w, "limit", 0)
}

// replyAccess writes the flags as Redis spells them: only RO, RW, OW and RM are in
// capitals.
func (s keySpec) replyAccess(w *resp.Writer) {
	w.Set(len(s.access))
	for _, f := range s.access {
		if len(f) > 2 {
			f = strings.ToLower(f)
		}
		w.Simple(f)
	}
}

// hasKeys reports whether a command's arguments may name keys.
func (c *Command) hasKeys() bool { return c.Keys.First > 0 || c.Keys.NumKeys > 0 }

// legacyRange is the first key, last key and step of COMMAND INFO, from before key
// specifications.
func (c *Command) legacyRange() (first, last, step int) {
	if c.Keys.First == 0 {
		return 0, 0, 0
	}
	return c.Keys.First, c.Keys.Last, c.Keys.Step
}
