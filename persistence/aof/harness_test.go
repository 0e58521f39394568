package aof

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "cellserver/commands/all"
	"cellserver/internal/config/configload"
	"cellserver/internal/randtest"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"
	"cellserver/server"
	"cellserver/store"
	"cellserver/store/hash"

	"github.com/stretchr/testify/require"
)

// now is the time of every test, in Unix nanoseconds.
const now int64 = 1_700_000_000_123_456_789

// parent is the directory that has the log of every test.
const parent = "/data"

func seeded(t testing.TB) *rand.Rand {
	return rand.New(randtest.Source(t))
}

func newStore() *store.Store { return store.New(store.Options{Databases: 3, Seed: 1}) }

// replayer runs the commands of Redis as the server does. It makes the server for the first command.
func replayer(s *store.Store) Replayer {
	var server Replayer
	return func(db int, args [][]byte) error {
		if server == nil {
			server = newServer(s)
		}
		return server(db, args)
	}
}

func newServer(s *store.Store) Replayer {
	cfg, _, err := configload.Load([]string{"--databases", "3"}, nil, nil)
	if err != nil {
		panic(err)
	}
	return server.New(server.Options{
		Store: s, Clock: stopped{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Config: cfg,
	}).Replayer()
}

// stopped is a clock that stands still.
type stopped struct{}

func (stopped) Now() int64           { return now }
func (stopped) Read() (int64, int64) { return now, now }
func (stopped) Monotonic() int64     { return now }
func (stopped) Until(at int64) int64 { return at - now }
func (stopped) Steps() (a, b int64)  { return 0, 0 }
func (stopped) Set(int64)            {}
func (stopped) Advance(int64)        {}
func (stopped) Resume()              {}
func (stopped) Step(int64)           {}

// write runs a transaction on the whole keyspace.
func write(s *store.Store, at int64, do func(tx *store.Tx)) {
	tx := s.NewTx()
	tx.BeginAll(at, 0)
	defer tx.End()
	do(tx)
}

// set gives a key an integer, in a transaction.
func set(s *store.Store, key string, n int64) {
	write(s, now, func(tx *store.Tx) {
		e := tx.Write([]byte(key))
		e.SetInt(n, store.NoExpiry)
	})
}

// contents returns everything in a store, with expired keys that are not removed yet.
func contents(s *store.Store) map[string]string {
	all := map[string]string{}
	write(s, 0, func(tx *store.Tx) {
		for db := store.Own; db < s.Databases(); db++ {
			tx.Select(db)
			tx.Each(func(e *store.Entry) { all[fmt.Sprint(db, " ", string(e.Key()))] = describe(e) })
		}
	})
	return all
}

func describe(e *store.Entry) string {
	text := e.Kind().Name() + " " + string(e.Bytes(nil))
	if t := store.TypeOf(e.Kind()); t != nil {
		var all []string
		t.Each(e.Collection(), func(o *store.Operands) bool {
			score := math.Float64bits(o.Score + 0) // small sets keep no negative zero
			all = append(all, fmt.Sprintf("%q %q %x", o.Value, o.More, score))
			return true
		})
		if t.Kind != store.Sorted && !t.Once {
			slices.Sort(all)
		}
		text += fmt.Sprint(all)
	}
	return fmt.Sprint(text, " until ", e.ExpireAt())
}

// requireSame requires the same contents. It names the first key that differs.
func requireSame(t testing.TB, want, got map[string]string, where ...any) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			require.Failf(t, "contents differ", "%v: %.40q is %.200q, not %.200q", where, key, got[key], want[key])
		}
	}
	require.Len(t, got, len(want), where...)
}

// log is an open log with the store that writes it.
type log struct {
	t       testing.TB
	files   fs.FS
	dir     *Dir
	store   *store.Store
	journal *Journal
	err     error // the last failure
}

// start opens and loads the log in files, and continues it, as a server does.
func start(t testing.TB, files fs.FS, p Policy) *log {
	t.Helper()
	l, loaded, err := load(t, files)
	require.NoError(t, err)
	require.NoError(t, l.dir.Create())
	_, err = l.dir.CutTornTail(loaded)
	require.NoError(t, err)
	l.journal = NewJournal(p, func(err error) { l.err = err })
	l.store.Observe(l.journal)
	f, err := l.dir.NewFile()
	require.NoError(t, err)
	require.NoError(t, l.dir.Append(f))
	l.journal.Switch(f)
	l.journal.Flush()
	return l
}

// load loads the log in files.
func load(t testing.TB, files fs.FS) (*log, *Loaded, error) {
	dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
	if err != nil {
		return nil, nil, err
	}
	l := &log{t: t, files: files, dir: dir, store: newStore()}
	loaded, err := dir.Load(l.store, LoadOptions{Now: now, Replayer: replayer(l.store)})
	return l, loaded, err
}

// commit waits for the changes so far, as the server does before it replies.
func (l *log) commit() { require.True(l.t, l.journal.Wait(l.journal.Mark())) }

// memory returns a file system without files.
func memory() *fstest.Memory { return &fstest.Memory{} }

// randomWrite makes one random change. All kinds of effects occur.
func randomWrite(r *rand.Rand, tx *store.Tx) {
	tx.Select(r.IntN(3))
	key := randomKey(r)
	e := tx.Write(key)
	at := store.NoExpiry
	if r.IntN(2) == 0 {
		at = tx.NowMillis() + 1 + r.Int64N(3000)
	}
	switch op := r.IntN(20); {
	case op < 2:
		e.SetInt(r.Int64()-r.Int64(), at)
	case op < 5:
		tat := tx.Now() + 1 + r.Int64N(3e9)
		e.SetInt(tat, (tat+999_999)/1e6)
	case op < 7:
		e.SetBytes([]byte([]string{"", "7", "007", "text\r\n", string(key), "\x00\xff"}[r.IntN(6)]), at)
	case op == 7:
		e.Delete()
	case op == 8 && e.Exists():
		e.SetExpiry(at)
	case op < 11 && !e.Kind().IsCollection():
		e.SetRange(r.IntN(30), []byte("range"[:1+r.IntN(5)]))
	case op < 14:
		changeMembers(r, &e)
	case op == 14:
		e.ZRem(fmt.Append(nil, "m", r.IntN(6)))
	case op == 15 && e.Kind() == store.Sorted:
		e.ZRemRange(0, r.IntN(e.Sorted().Len()+1))
	case op == 16:
		e.ZStore(randomItems(r))
	case op < 19 && e.Exists():
		copyOrMove(r, tx, &e, op == 17)
	case op == 19:
		randomWholeWrite(r, tx)
	}
}

// randomOwnWrite makes one random change of the server's own database.
func randomOwnWrite(r *rand.Rand, tx *store.Tx) {
	tx.Select(store.Own)
	e := tx.Write(randomKey(r))
	switch r.IntN(8) {
	case 0:
		e.Delete()
	case 1:
		e.SetBytes([]byte("text\r\n"), store.NoExpiry)
	case 2:
		e.SetInt(r.Int64(), store.NoExpiry)
	case 3:
		e.StoreAll(hash.Type, store.NoExpiry, func(add func(store.Operands)) {
			for range r.IntN(200) {
				add(store.Operands{Value: randomKey(r), More: randomKey(r)})
			}
		})
	case 4:
		if to := randomKey(r); e.Exists() && string(to) != string(e.Key()) {
			e.Rename(to)
		}
	default:
		if e.Kind() == store.None || e.Kind() == store.Hash {
			e.Change(hash.Type.Changes[r.IntN(2)], store.Operands{Value: randomKey(r), More: []byte("")})
		}
	}
}

// changeMembers makes a random change of a collection, or a collection of a random type.
func changeMembers(r *rand.Rand, e *store.Entry) {
	t := store.Types()[r.IntN(len(store.Types()))]
	switch e.Kind() {
	case store.None:
	case store.Int, store.Raw:
		return
	default:
		t = store.TypeOf(e.Kind())
	}
	how := t.Changes[r.IntN(len(t.Changes))]
	e.Change(how, store.Operands{Value: fmt.Append(nil, "m", r.IntN(6)), More: fmt.Append(nil, r.IntN(50)), Score: randomScore(r), Int: r.Int64N(7) - 3, End: r.Int64N(9) - 4})
}

func copyOrMove(r *rand.Rand, tx *store.Tx, e *store.Entry, copies bool) {
	db, to := r.IntN(3), randomKey(r)
	switch {
	case copies && (db != tx.DB() || string(to) != string(e.Key())):
		e.CopyTo(db, to)
	case copies:
	case db != tx.DB():
		e.Move(db)
	case string(to) != string(e.Key()):
		e.Rename(to)
	}
}

func randomWholeWrite(r *rand.Rand, tx *store.Tx) {
	switch r.IntN(60) {
	case 0:
		tx.Flush()
	case 1, 2, 3:
		tx.Swap(r.IntN(3), r.IntN(3))
	}
}

func randomKey(r *rand.Rand) []byte {
	key := fmt.Append(nil, "key:", r.IntN(60))
	switch r.IntN(40) {
	case 0:
		key = append(key, make([]byte, 1500)...)
	case 1:
		return []byte{}
	}
	return key
}

func randomScore(r *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), 1, -2.5, 0.1, math.Pi * 1e-300, 1e300, 1 << 53, 1<<53 + 2, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), 1700000000.25}[r.IntN(14)]
}

func randomItems(r *rand.Rand) []store.Item {
	items := make([]store.Item, []int{0, 1, 3, 64, 65, 129, 200}[r.IntN(7)])
	for i := range items {
		items[i] = store.Item{Score: randomScore(r), Member: fmt.Sprint("m", i)}
	}
	return items
}
