package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// The type bytes of sets, in the order in which versions of Redis introduced them.
const (
	typeSet         = 2
	typeSetInts     = 11
	typeSetListpack = 20
)

// setCodec keeps sets.
var setCodec = codecOf(shape{kind: store.Set, name: "set", each: 1, sole: true}, typeSet, map[byte]func(*encoding.Decoder, *Parts) error{
	typeSetInts:     packedParts(encoding.Intset),
	typeSetListpack: packedParts(encoding.Listpack),
})
