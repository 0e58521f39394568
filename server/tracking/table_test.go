package tracking_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/server/tracking"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// bench is a table on a store, and its connected clients.
type bench struct {
	t       *testing.T
	store   *store.Store
	table   *tracking.Table
	clients map[int64]*client
}

// client is a connection that reads and writes keys.
type client struct {
	*commands.Conn
	*servertest.Peer
	tx    *store.Tx
	bench *bench
}

func newBench(t *testing.T, maxKeys int64) *bench {
	b := &bench{t: t, store: store.New(store.Options{Databases: 1, Seed: 1}), clients: map[int64]*client{}}
	cfg := &config.Config{TrackingTableMaxKeys: maxKeys}
	b.table = tracking.New(func() *config.Config { return cfg }, func(id int64) *commands.Conn {
		if c := b.clients[id]; c != nil {
			return c.Conn
		}
		return nil
	})
	b.store.Observe(b.table)
	return b
}

func (b *bench) connect(proto int) *client {
	conn, peer := servertest.NewConn(b.t, proto)
	conn.ID = int64(len(b.clients) + 1)
	c := &client{conn, peer, b.store.NewTx(), b}
	c.tx.By = conn
	b.clients[conn.ID] = c
	return c
}

// do runs a transaction as a command: it reads or writes the keys in turn ("r:k", "w:k").
func (c *client) do(steps ...string) {
	tx, cmd := c.tx, &commands.Command{Name: "test", Keys: commands.OneKey}
	var fp store.Footprint
	for _, step := range steps {
		fp.AddKey([]byte(step[2:]))
	}
	tx.Begin(servertest.Start, 0, &fp)
	for _, step := range steps {
		key := []byte(step[2:])
		if step[0] == 'w' {
			e := tx.Write(key)
			e.SetInt(1, store.NoExpiry)
		} else if tx.Read(key); c.Conn.Tracking.Wants() {
			tracking.NoteReads(&commands.Call{Cmd: cmd, Args: [][]byte{[]byte("test"), key}, Tx: tx, Conn: c.Conn})
		}
	}
	c.bench.table.EndTx(c.Conn, tx)
	c.bench.table.CommandDone(c.Conn, cmd)
}

func invalidate(keys ...any) resptest.Push { return resptest.Push{"invalidate", keys} }

// TestReadsAndChanges tells the story of a reader and a writer.
func TestReadsAndChanges(t *testing.T) {
	b := newBench(t, 0)
	reader, writer := b.connect(3), b.connect(2)
	b.table.Start(reader.Conn, &commands.TrackingOptions{})
	for _, story := range []struct {
		name  string
		act   func()
		told  []any
		items int // readers of all keys
	}{
		{"a read", func() { reader.do("r:k") }, nil, 1},
		{"a second read", func() { reader.do("r:k") }, nil, 1},
		{"a change", func() { writer.do("w:k") }, []any{invalidate("k")}, 0},
		{"a second change", func() { writer.do("w:k") }, nil, 0},
		{"a read before a change in one transaction", func() { b.clients[1].do("r:a", "w:b") }, nil, 1},
		{"a change of the read key", func() { writer.do("w:a") }, []any{invalidate("a")}, 0},
		{"a read after the own change of the key", func() { reader.do("w:c", "r:c") }, nil, 1},
		{"a flush without keys", func() { b.table.FlushedNothing(writer.Conn) }, []any{resptest.Push{"invalidate", resptest.Nil3}}, 0},
		{"a read again", func() { reader.do("r:k") }, nil, 1},
		{"the end of tracking", func() { b.table.Stop(reader.Conn); writer.do("w:k") }, nil, 0},
	} {
		story.act()
		require.Equal(t, story.told, reader.TakePushes(), story.name)
		_, items, _ := b.table.Sizes()
		require.Equal(t, story.items, items, story.name)
	}
}

// TestTableIsBounded: the table evicts the oldest keys, and tells their readers.
func TestTableIsBounded(t *testing.T) {
	b := newBench(t, 2)
	reader, other := b.connect(3), b.connect(3)
	for _, c := range []*client{reader, other} {
		b.table.Start(c.Conn, &commands.TrackingOptions{NoLoop: true})
	}
	other.do("r:a")
	for _, key := range []string{"a", "b", "a", "c", "d"} {
		reader.do("r:" + key)
	}
	require.Equal(t, []any{invalidate("a"), invalidate("b")}, reader.TakePushes(), "the oldest first read first")
	require.Equal(t, []any{invalidate("a")}, other.TakePushes())
	keys, items, _ := b.table.Sizes()
	require.Equal(t, []int{2, 2}, []int{keys, items})
}

// TestBroadcast: a client gets one message for each of its prefixes, with the changed keys in order.
func TestBroadcast(t *testing.T) {
	b := newBench(t, 0)
	reader, writer := b.connect(3), b.connect(3)
	b.table.Start(reader.Conn, &commands.TrackingOptions{Bcast: true, Prefixes: []string{"b", "a"}})
	b.table.Start(writer.Conn, &commands.TrackingOptions{Bcast: true, NoLoop: true})
	require.Equal(t, []string{"a", "b"}, reader.Conn.Tracking.Prefixes)
	writer.do("w:b1", "w:a2", "w:c", "w:a1", "w:a2")
	require.Equal(t, []any{invalidate("a1", "a2"), invalidate("b1")}, reader.TakePushes())
	require.Empty(t, writer.TakePushes())
	reader.do("w:c")
	require.Equal(t, []any{invalidate("c")}, writer.TakePushes(), "the prefix of all keys")
	require.Empty(t, reader.TakePushes())
	_, _, prefixes := b.table.Sizes()
	require.Equal(t, 3, prefixes)
}

// TestRedirect sends the messages of a client to another one, until that one has disconnected.
func TestRedirect(t *testing.T) {
	b := newBench(t, 0)
	reader, target, writer := b.connect(3), b.connect(3), b.connect(2)
	b.table.Start(reader.Conn, &commands.TrackingOptions{Redirect: target.ID})
	reader.do("r:k")
	writer.do("w:k")
	require.Equal(t, []any{invalidate("k")}, target.TakePushes())
	require.Empty(t, reader.TakePushes())
	delete(b.clients, target.ID)
	reader.do("r:k")
	writer.do("w:k")
	require.Equal(t, []any{resptest.Push{"tracking-redir-broken", int64(2)}}, reader.TakePushes())
	require.True(t, reader.Conn.Tracking.Broken.Load())
}
