package rdb

import (
	"bytes"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// databases is the number of databases in every test.
const databases = 3

// now is the time of every test, in Unix milliseconds.
const now int64 = 1_700_000_000_123

// content is what one key holds, in a form that tests can compare.
type content struct {
	text     string
	items    map[string]uint64 // of a sorted set: the bits of each member's score
	kind     store.Kind        // of a collection that is a sequence of strings
	parts    [][2]string       // its members, sorted
	expireAt int64
}

// place is a key of a database.
type place struct {
	db  int
	key string
}

// contents is a whole keyspace.
type contents map[place]content

func newRand(t testing.TB) *rand.Rand {
	return rand.New(randtest.Source(t))
}

// edgeTexts are strings at which the format changes its encoding.
var edgeTexts = func() []string {
	all := []string{"", "007", "+1", "-0", "0", "1.5", "\x00\xff\r\n", strings.Repeat("ab", 500), "9223372036854775808",
		"1700000000123456789", strings.Repeat("a", 21), strings.Repeat("x", 200_000)}
	for _, bits := range []uint{6, 7, 8, 12, 13, 14, 15, 16, 23, 24, 31, 32, 63} {
		for _, by := range []int64{-1, 0, 1} {
			n := int64(uint64(1)<<bits) + by
			all = append(all, strconv.FormatInt(n, 10), strconv.FormatInt(-n, 10))
		}
	}
	for _, n := range []int{63, 64, 16383, 16384} {
		all = append(all, strings.Repeat("k", n-1)+"!")
	}
	return all
}()

func randomText(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return edgeTexts[r.IntN(len(edgeTexts))]
	case 1:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	}
	b := make([]byte, r.IntN(100))
	few := 1 + r.IntN(255) // a string of few different bytes is compressible
	for i := range b {
		b[i] = byte(r.IntN(few))
	}
	return string(b)
}

func randomScore(r *rand.Rand) float64 {
	edges := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 1e100}
	switch r.IntN(3) {
	case 0:
		return edges[r.IntN(len(edges))]
	case 1:
		return float64(int64(r.Uint64()) >> r.IntN(64))
	}
	return r.NormFloat64()
}

// randomContents returns keys and values with every edge text, and small and large sorted sets.
func randomContents(r *rand.Rand, n int) contents {
	all := contents{}
	for i, key := range edgeTexts {
		all[place{0, key}] = content{text: edgeTexts[len(edgeTexts)-1-i], expireAt: randomExpiry(r)}
	}
	for i := range n {
		c := content{expireAt: randomExpiry(r)}
		switch i % 5 {
		case 0, 1:
			c.text = randomText(r)
		case 2:
			c.kind = partKinds[r.IntN(len(partKinds))]
			c.parts = randomParts(r, c.kind)
		default:
			c.items = map[string]uint64{}
			size := 1 + r.IntN(20)
			if i%30 == 0 {
				size = 100 + r.IntN(300)
			}
			for range size {
				c.items[randomText(r)] = math.Float64bits(randomScore(r))
			}
		}
		all[place{r.IntN(databases), randomText(r)}] = c
	}
	return all
}

func randomExpiry(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		return store.NoExpiry
	}
	return 4_000_000_000_000 + int64(r.IntN(1e9)) // in the future of every clock
}

// write runs do in a transaction on everything.
func write(s *store.Store, db int, do func(tx *store.Tx)) {
	tx := s.NewTx()
	tx.BeginAll(now*1e6, db)
	defer tx.End()
	do(tx)
}

// sorted returns the items of a sorted set, ordered by member.
func (c content) sorted() []store.Item {
	var all []store.Item
	for _, member := range slices.Sorted(maps.Keys(c.items)) {
		all = append(all, store.Item{Score: math.Float64frombits(c.items[member]), Member: member})
	}
	return all
}

// partKinds are the kinds of collections that are sequences of strings.
var partKinds = []store.Kind{store.Hash, store.Set, store.List}

// randomParts returns the members of a collection: fields with their values.
func randomParts(r *rand.Rand, kind store.Kind) [][2]string {
	size := 1 + r.IntN(20)
	if r.IntN(10) == 0 {
		size = 600
	}
	members := map[string]bool{}
	var all [][2]string
	for range size {
		part := [2]string{randomText(r)}
		if r.IntN(3) == 0 {
			part[0] = strconv.Itoa(r.IntN(1000))
		}
		if kind == store.Hash {
			part[1] = randomText(r)
		}
		if kind == store.List || !members[part[0]] {
			all = append(all, part)
		}
		members[part[0]] = true
	}
	if kind != store.List {
		slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	}
	return all
}

// partsOf returns the members of a collection, sorted if the type has no order of its own.
func partsOf(c store.Collection) (all [][2]string) {
	store.TypeOf(c.Kind()).Each(c, func(o *store.Operands) bool {
		all = append(all, [2]string{string(o.Value), string(o.More)})
		return true
	})
	if c.Kind() != store.List {
		slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	}
	return all
}

// store returns a store with the contents.
func (all contents) store() *store.Store {
	s := store.New(store.Options{Databases: databases, Seed: 1})
	for p, c := range all {
		write(s, p.db, func(tx *store.Tx) {
			e := tx.Write([]byte(p.key))
			switch {
			case c.kind != store.None:
				e.StoreAll(store.TypeOf(c.kind), c.expireAt, func(add func(store.Operands)) {
					for _, part := range c.parts {
						add(store.Operands{Value: []byte(part[0]), More: []byte(part[1])})
					}
				})
				return
			case c.items == nil:
				e.SetBytes([]byte(c.text), c.expireAt)
				return
			}
			e.ZStore(c.sorted())
			if c.expireAt != store.NoExpiry {
				e.SetExpiry(c.expireAt)
			}
		})
	}
	return s
}

// contentsOf returns the contents of a store.
func contentsOf(s *store.Store) contents {
	all := contents{}
	for db := store.Own; db < s.Databases(); db++ {
		write(s, db, func(tx *store.Tx) {
			tx.Each(func(e *store.Entry) {
				c := content{expireAt: e.ExpireAt()}
				if z := e.Sorted(); z.Len() > 0 {
					c.items = map[string]uint64{}
					z.Range(0, z.Len(), false, func(score float64, member []byte) bool {
						c.items[string(member)] = math.Float64bits(score)
						return true
					})
				} else if k := e.Kind(); k.IsCollection() {
					c.kind, c.parts = k, partsOf(e.Collection())
				} else {
					c.text = string(e.Bytes(nil))
				}
				all[place{db, string(e.Key())}] = c
			})
		})
	}
	return all
}

// image is the image that writeEntry uses again and again, as a snapshot does.
var image store.Image

func writeEntry(w *Writer, e *store.Entry) error {
	image = e.Image()
	return w.Key(&image)
}

// file returns the file of a store.
func file(t testing.TB, s *store.Store) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, false)
	require.NoError(t, w.Aux("redis-ver", "7.0.15"))
	require.NoError(t, w.Aux("ctime", "1700000000"))
	for db := range s.Databases() {
		if s.Len(db) == 0 {
			continue
		}
		require.NoError(t, w.Select(db, s.Len(db), 0))
		write(s, db, func(tx *store.Tx) {
			tx.Each(func(e *store.Entry) { require.NoError(t, writeEntry(w, e)) })
		})
	}
	require.NoError(t, w.Finish())
	return out.Bytes()
}

// read reads a file up to its end or an error, and calls do for every key.
func read(in io.Reader, o Options, do func(*Record)) (*Reader, error) {
	r := NewReader(in, o)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		do(rec)
	}
}

// check reads a file and stores nothing.
func check(p []byte) error {
	_, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(*Record) {})
	return err
}

// loaded returns the contents of an undamaged file.
func loaded(t testing.TB, p []byte) contents {
	s := store.New(store.Options{Databases: databases, Seed: 1})
	_, err := read(bytes.NewReader(p), Options{}, func(rec *Record) {
		write(s, rec.DB, func(tx *store.Tx) {
			e := tx.Write(rec.Key)
			require.False(t, e.Exists(), "%q twice", rec.Key)
			rec.Value.Put(&e, rec.ExpireAt)
		})
	})
	require.NoError(t, err)
	return contentsOf(s)
}
