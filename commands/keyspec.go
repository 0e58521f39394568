package commands

import (
	"strings"

	"cellserver/resp"
)

// keySpec is one key specification of COMMAND INFO: keys with the same access flags.
//
// Source: https://redis.io/docs/latest/develop/reference/key-specs/
type keySpec struct {
	access  []string
	First   int
	Last    int // relative to First; -1 means up to the last argument
	Step    int
	NumKeys bool // First is the position of a count, and the keys follow the count
	Skip    int  // words between the count and the first key
	Unknown bool // the keys are those of another command in the arguments
}

// Specs derives the key specifications of key positions. If keys have different access flags,
// Access separates them by ";": "RW ACCESS DELETE; OW UPDATE".
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
		if k.Last < 0 {
			specs[len(specs)-1].Last = -1
		}
	case k.First > 0:
		last := k.Last
		if last > 0 {
			last -= k.First
		}
		specs = append(specs, keySpec{access: flags(0), First: k.First, Last: last, Step: k.Step})
	}
	switch {
	case k.Words != nil: // the first key, which is enough to find the node
		first := keySpec{access: append(flags(len(access)-1), "INCOMPLETE"), First: k.firstCounted(), Step: 1}
		specs = append(specs, first)
	case k.NumKeys > 0:
		specs = append(specs, keySpec{
			access: flags(len(access) - 1), First: k.NumKeys, Step: k.step(nil), NumKeys: true, Skip: k.Skip,
		})
	}
	if k.Inner != nil {
		specs = append(specs, keySpec{access: append(flags(0), "INCOMPLETE"), Unknown: true})
	}
	return specs
}

// Reply writes the specification as COMMAND INFO shows it.
func (s keySpec) Reply(w *resp.Writer) {
	w.Map(3)
	w.BulkString("flags")
	s.ReplyAccess(w)
	if s.Unknown {
		replyUnknown(w, "begin_search")
		replyUnknown(w, "find_keys")
		return
	}
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
		Number(w, "firstkey", int64(1+s.Skip))
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

// replyUnknown writes a part of a specification that only COMMAND GETKEYS can tell.
func replyUnknown(w *resp.Writer, part string) {
	w.BulkString(part)
	w.Map(2)
	Field(w, "type", "unknown")
	w.BulkString("spec")
	w.Map(0)
}

// ReplyAccess writes the flags in the spelling of Redis: RO, RW, OW and RM in capitals, all others
// in lower case.
func (s keySpec) ReplyAccess(w *resp.Writer) {
	w.Set(len(s.access))
	for _, f := range s.access {
		if len(f) > 2 {
			f = strings.ToLower(f)
		}
		w.Simple(f)
	}
}

// LegacyRange returns the first key, last key and step of COMMAND INFO. Redis had these fields
// before it had key specifications.
func (c *Command) LegacyRange() (first, last, step int) {
	k := c.Keys
	if c.Channels >= FirstShard {
		k = c.sharded()
	}
	if k.First == 0 {
		return 0, 0, 0
	}
	return k.First, k.Last, k.Step
}

// sharded returns the positions of the channels that have a slot, in the form of keys.
func (c *Command) sharded() (channels Keys) {
	switch c.Channels {
	case FirstShard:
		return OneKey.With("NOT_KEY")
	case AllShards, LeftShards:
		return AllKeys.With("NOT_KEY")
	}
	return channels
}

// EachShard calls do with every channel of a call that has a slot.
func (c *Command) EachShard(args [][]byte, do func(channel []byte)) {
	if c.Channels >= FirstShard {
		channels := c.sharded()
		channels.Each(args, do)
	}
}

// KeySpecs derives the key specifications of COMMAND INFO. As in Redis, channels with a slot have some, too.
func (c *Command) KeySpecs() []keySpec {
	if c.Channels >= FirstShard {
		return c.sharded().Specs()
	}
	return c.Keys.Specs()
}
