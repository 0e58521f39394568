package list_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"cellserver/persistence/rdb"
	"cellserver/store"
	"cellserver/store/list"
	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// texts are the elements that a fuzzed list may get: integers of several widths, empty and long texts, and the largest
// elements of the short form.
var texts = [][]byte{
	[]byte("0"), []byte("-1"), []byte("300"), []byte("1795000000123"), []byte("9223372036854775808"), {}, []byte("e"), []byte("007"),
	bytes.Repeat([]byte("x"), 100), bytes.Repeat([]byte("y"), 223), bytes.Repeat([]byte("z"), 224), bytes.Repeat([]byte("v"), 300), bytes.Repeat([]byte("w"), 1030),
}

// changeOf reads a change from three bytes: what to do, an element, and a number. A push repeats, so that few bytes make a
// large list.
func changeOf(b []byte) (how *value.Change, o value.Operands, times int) {
	n := int64(int8(b[2]))
	o = value.Operands{Value: texts[int(b[1]&15)%len(texts)], More: texts[int(b[1]>>4)%len(texts)], Int: n}
	how = list.Type.Changes[int(b[0])%len(list.Type.Changes)]
	switch how {
	case list.PushFirst, list.PushLast:
		return how, o, 1 + int(b[2])
	case list.Trim:
		o.Int, o.End = n, int64(int8(b[1]))
	}
	return how, o, 1
}

// The bounds of one input, because the naive list copies itself at each change.
const (
	mostOps      = 40
	mostElements = 1500
)

// FuzzList changes a list and a slice in the same way, and sends the list through the payload of DUMP.
func FuzzList(f *testing.F) {
	f.Add(byte(128), byte(0), []byte{0, 3, 255, 1, 8, 255, 3, 0, 5, 5, 0x33, 1, 6, 3, 254, 7, 250, 3})
	f.Add(byte(2), byte(20), []byte{1, 11, 3, 0, 10, 9, 4, 0x17, 7, 2, 0, 4})
	f.Add(byte(0), byte(255), []byte{1, 1, 200, 6, 1, 0})
	f.Fuzz(func(t *testing.T, entries, size byte, ops []byte) {
		limits := value.DefaultLimits
		limits.ListEntries, limits.ListBytes = int(entries), 8*int(size)
		r := rand.New(rand.NewPCG(uint64(entries), uint64(size)))
		var c value.Collection
		var m list.Model
		for ops = ops[:min(len(ops), 3*mostOps)]; len(ops) >= 3 && len(m) < mostElements; ops = ops[3:] {
			how, o, times := changeOf(ops)
			for range times {
				if c == nil && !how.Makes {
					break
				}
				m = list.Apply(m, how, o)
				if c, _ = how.Apply(c, &o, &limits); c.Len() == 0 {
					c, m = nil, nil
				}
			}
		}
		if c == nil {
			require.Empty(t, m)
			return
		}
		list.Same(t, r, m, c)
		list.Same(t, r, m, throughPayload(t, c))
	})
}

// throughPayload returns the list that RESTORE makes of the DUMP of a list.
func throughPayload(t *testing.T, c value.Collection) value.Collection {
	tx := store.New(store.Options{Databases: 1, Seed: 1}).NewTx()
	tx.BeginAll(1, 0)
	defer tx.End()
	from, to := tx.Write([]byte("from")), tx.Write([]byte("to"))
	from.SetCollection(c, store.NoExpiry)
	from = tx.Read([]byte("from"))
	v, err := rdb.DecodePayload(rdb.AppendPayload(nil, &from))
	require.NoError(t, err)
	v.Put(&to, store.NoExpiry)
	to = tx.Read([]byte("to"))
	require.Equal(t, store.List, to.Kind())
	return to.Collection()
}
