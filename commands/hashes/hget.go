package hashes

import (
	"cellserver/commands"
	"cellserver/store/hash"
)

// HGET key field replies with the value of a field, or null. HMGET key field [field …] replies with an
// array of values and nulls. HEXISTS key field replies with 1 if the field is there, and 0 otherwise. HSTRLEN
// key field replies with the length of the value, 0 without the field.
var (
	_ = commands.Register(&commands.Command{
		Name: "hget", Arity: 3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupHash, Run: values.Reply(hget), Cost: costOfHget,
	})
	_ = commands.Register(&commands.Command{
		Name: "hmget", Arity: -3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupHash, Run: values.Reply(hmget), Cost: costOfHget,
	})
	_ = commands.Register(&commands.Command{
		Name: "hexists", Arity: 3, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.OneKey.With("RO"), Group: commands.GroupHash, Run: values.Reply(hexists),
	})
	_ = commands.Register(&commands.Command{
		Name: "hstrlen", Arity: 3, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.OneKey.With("RO"), Group: commands.GroupHash, Run: values.Reply(hstrlen),
	})
)

func hget(c *commands.Call, h hash.Hash) { replyField(c, h, c.Args[2]) }

// replyField replies with the value of a field, or null.
func replyField(c *commands.Call, h hash.Hash, field []byte) {
	var digits [20]byte
	if val, ok := h.Get(field, digits[:0]); ok {
		c.Out.Bulk(val)
	} else {
		c.Out.Null()
	}
}

// costOfHget prices the search for the fields, and for a hash of many bytes also the copies of their values.
func costOfHget(c *commands.Call) int {
	e := c.Tx.Peek(c.Args[1])
	h, fields := e.Hash(), c.Args[2:]
	steps := h.Seek() * len(fields)
	if steps > commands.MaxSteps || commands.StepsOfBytes(int(e.Memory())) <= commands.MaxSteps {
		return steps
	}
	var digits [20]byte
	for _, field := range fields {
		val, _ := h.Get(field, digits[:0])
		steps += commands.StepsOfBytes(len(val))
	}
	return steps
}

func hmget(c *commands.Call, h hash.Hash) {
	fields := c.Args[2:]
	c.Out.Array(len(fields))
	for _, field := range fields {
		replyField(c, h, field)
	}
}

func hexists(c *commands.Call, h hash.Hash) {
	_, ok := h.Get(c.Args[2], nil)
	c.ReplyBit(ok)
}

func hstrlen(c *commands.Call, h hash.Hash) {
	var digits [20]byte
	val, _ := h.Get(c.Args[2], digits[:0])
	c.Out.Int(int64(len(val)))
}
