package differential

import (
	"fmt"
	"slices"

	"cellserver/persistence/rdb"
	"cellserver/store"
)

var dumpGrammar = []production{
	{"DUMP", 3, keyed(onAny)},
	{"RESTORE", 5, func(g *generator) []string {
		ttl := g.pick("0", "0", "0", g.span(1000), g.moment(1000), g.integer())
		options := g.some(0.25, "REPLACE", "ABSTTL", "IDLETIME "+g.pick("0", "5", "-1", "abc"), "FREQ "+g.pick("0", "255", "256", "-1", ""), "FOO")
		return append([]string{g.anyKey(), ttl, g.payload()}, options...)
	}},
}

// payload returns a payload of DUMP. Now and then one byte of its end is different, so that the checksum is wrong.
func (g *generator) payload() string {
	tx := store.New(store.Options{Seed: 1}).NewTx()
	tx.BeginAll(0, 0)
	defer tx.End()
	e := tx.Write([]byte("k"))
	if g.chance(0.4) {
		e.SetBytes([]byte(g.value()), store.NoExpiry)
	} else {
		t := store.Types()[g.IntN(len(store.Types()))]
		for range 1 + g.IntN(5) {
			e.Change(t.Whole, store.Operands{Score: float64(g.IntN(100)) / 4, Value: []byte(g.value()), More: []byte(g.value())})
		}
	}
	p := rdb.AppendPayload(nil, &e)
	if g.chance(0.1) {
		p[len(p)-1-g.IntN(10)] ^= byte(1 + g.IntN(255))
	}
	return string(p)
}

// dumped returns the content of a DUMP reply, because the two servers have different encodings.
func dumped(r reply) reply {
	if r.null {
		return r
	}
	v, err := rdb.DecodePayload([]byte(r.text))
	if err != nil {
		return reply{kind: '-', text: err.Error()}
	}
	return reply{kind: r.kind, text: fmt.Sprintf("%d %d %q", v.Kind, v.Int, v.Bytes) + partsOf(&v)}
}

// partsOf returns the members of a collection.
func partsOf(v *rdb.Value) string {
	s := store.New(store.Options{Seed: 1})
	tx := s.NewTx()
	tx.BeginAll(0, 0)
	defer tx.End()
	e := tx.Write([]byte("k"))
	v.Put(&e, store.NoExpiry)
	t := store.TypeOf(v.Kind)
	if t == nil {
		return ""
	}
	var all []string
	t.Each(e.Collection(), func(o *store.Operands) bool {
		all = append(all, fmt.Sprintf("%q %q %g", o.Value, o.More, o.Score+0))
		return true
	})
	slices.Sort(all)
	return fmt.Sprint(all)
}
