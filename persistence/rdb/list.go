package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// The type bytes of lists, in the order in which versions of Redis introduced them.
const (
	typeList          = 1
	typeListZiplist   = 10
	typeListZiplists  = 14
	typeListListpacks = 18
)

// The containers of a list of type typeListListpacks.
const (
	plainElement    = 1
	listpackElement = 2
)

// listCodec keeps lists.
var listCodec = codecOf(shape{kind: store.List, name: "list", each: 1}, typeList, map[byte]func(*encoding.Decoder, *Parts) error{
	typeListZiplist:   packedParts(encoding.Ziplist),
	typeListZiplists:  eachContainer(packedParts(encoding.Ziplist)),
	typeListListpacks: eachContainer(readContainer),
})

// eachContainer returns a reader of a number of containers, which hold the elements of a list.
func eachContainer(read func(*encoding.Decoder, *Parts) error) func(*encoding.Decoder, *Parts) error {
	return func(d *encoding.Decoder, p *Parts) error {
		n, err := d.Length("the number of containers of a list")
		for ; err == nil && n > 0; n-- {
			err = read(d, p)
		}
		return err
	}
}

// readContainer reads one element, or a listpack of elements.
func readContainer(d *encoding.Decoder, p *Parts) error {
	from := d.Offset()
	switch kind, err := d.Length("the kind of a container of a list"); {
	case err != nil:
		return err
	case kind == listpackElement:
		return readPacked(d, encoding.Listpack, p.addElement)
	case kind != plainElement:
		return encoding.Errorf(from, "the kind 1 or 2 of a container of a list", "the kind %d", kind)
	}
	b, err := d.Text("an element of a list")
	if err == nil {
		p.add(b)
	}
	return err
}
