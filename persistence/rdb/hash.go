package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// The type bytes of hashes, in the order in which versions of Redis introduced them.
const (
	typeHash         = 4
	typeHashZipmap   = 9
	typeHashZiplist  = 13
	typeHashListpack = 16
)

// hashCodec keeps hashes.
var hashCodec = codecOf(shape{
	kind: store.Hash, name: "hash", each: 2, sole: true, second: readText,
}, typeHash, map[byte]func(*encoding.Decoder, *Parts) error{
	typeHashZipmap:   packedParts(encoding.Zipmap),
	typeHashZiplist:  packedParts(encoding.Ziplist),
	typeHashListpack: packedParts(encoding.Listpack),
})
