package faults

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A load is a number of clients that write to their own keys until the load ends or the server is gone.
type load struct {
	clients []*client
	batch   int           // the most writes that a client sends at once
	slowest time.Duration // the longest rewrite of the server so far: it shows how fast the machine is

	stop chan struct{}
	wg   sync.WaitGroup
}

// A client writes to its tracks in pipelined batches.
type client struct {
	tracks []*track
	r      *rand.Rand
	err    error // a wrong reply
}

// newLoad returns clients with keys of each kind. Each client sends up to batch writes at once.
func newLoad(p program, r *rand.Rand, clients, keys, batch int) *load {
	l := &load{batch: batch}
	for i := range clients {
		l.clients = append(l.clients, &client{
			tracks: newTracks(p, fmt.Sprintf("%d ", i), keys),
			r:      rand.New(rand.NewSource(r.Int63())),
		})
	}
	return l
}

// begin starts all clients.
func (l *load) begin(addr string) {
	l.stop = make(chan struct{})
	for _, c := range l.clients {
		l.wg.Go(func() { c.run(addr, l.batch, l.stop) })
	}
}

// end stops the clients, and fails the test after a wrong reply. A client ends by itself if its server is gone.
func (l *load) end(t testing.TB) {
	t.Helper()
	close(l.stop)
	l.wg.Wait()
	for _, c := range l.clients {
		require.NoError(t, c.err)
	}
}

func (c *client) run(addr string, batch int, stop chan struct{}) {
	conn, err := dial(addr)
	if err != nil {
		return
	}
	defer conn.close()
	for {
		select {
		case <-stop:
			return
		default:
		}
		if !c.exchange(conn, 1+c.r.Intn(batch)) {
			return
		}
	}
}

// exchange sends n writes at once and reads their replies. It reports whether the client can go on.
func (c *client) exchange(conn *conn, n int) bool {
	var b []byte
	batch := make([]*track, n)
	numbers := make([]int64, n)
	now := time.Now()
	for i := range batch {
		k := c.tracks[c.r.Intn(len(c.tracks))]
		batch[i], numbers[i] = k, k.next()
		b = append(b, k.request(k.key, k.next())...)
		k.sent(now)
	}
	if _, err := conn.nc.Write(b); err != nil {
		return false
	}
	for i, k := range batch {
		var v any
		for range k.replies {
			var err error
			if v, err = conn.receive(); err != nil {
				return false
			}
		}
		later := int64(0)
		for _, other := range batch[i+1:] {
			if other == k {
				later++
			}
		}
		if c.err = k.answered(v, numbers[i], time.Now(), later); c.err != nil {
			return false
		}
	}
	return true
}

// once lets every client write a batch to each of its keys and wait for the replies. It reports whether the
// server answered everything.
func (l *load) once(t testing.TB, addr string) bool {
	t.Helper()
	for _, c := range l.clients {
		conn, err := dial(addr)
		if err != nil {
			return false
		}
		defer conn.close()
		going := c.exchange(conn, l.batch)
		require.NoError(t, c.err)
		if !going {
			return false
		}
	}
	return true
}

// acked returns how many writes were acknowledged between the last recovery and a fault.
func (l *load) acked(fault time.Time) int {
	n := 0
	for _, k := range l.tracks() {
		n += sort.Search(len(k.acked), func(i int) bool { return !k.acked[i].at.Before(fault) })
	}
	return n
}

// lastAcked returns when the last write before a fault was acknowledged. A slow disk holds the acknowledgements for
// longer than the window, so the fault may come long after them.
func (l *load) lastAcked(fault time.Time) (last time.Time) {
	for _, k := range l.tracks() {
		for _, a := range k.acked {
			if a.at.Before(fault) && a.at.After(last) {
				last = a.at
			}
		}
	}
	return last
}

// refused returns how many replies were errors so far.
func (l *load) refused() int {
	n := 0
	for _, k := range l.tracks() {
		n += k.refused
	}
	return n
}

func (l *load) tracks() []*track {
	var all []*track
	for _, c := range l.clients {
		all = append(all, c.tracks...)
	}
	return all
}

// A verdict says what a recovery has lost.
type verdict struct {
	acked  int           // writes acknowledged before it
	lost   int           // how many of them are missing
	window time.Duration // the time between the acknowledgements of the oldest lost write and of the last write before the fault
	faults []error       // impossible values: no client wrote them, or more writes than were sent
}

// check reads every key after a recovery from a fault at a time.
func (l *load) check(t testing.TB, s *server, fault time.Time) verdict {
	t.Helper()
	conn, err := dial(s.addr)
	require.NoError(t, err)
	defer conn.close()
	v := verdict{acked: l.acked(fault)}
	last := l.lastAcked(fault)
	for part := range slices.Chunk(l.tracks(), 64) {
		var b []byte
		for _, k := range part {
			b = append(b, k.read(k.key)...)
		}
		_, err = conn.nc.Write(b)
		require.NoError(t, err)
		for _, k := range part {
			reply, err := conn.receive()
			require.NoError(t, err)
			lost, err := k.recovered(reply, fault)
			if err != nil {
				v.faults = append(v.faults, err)
			}
			if lost.lost > 0 {
				v.lost += lost.lost
				v.window = max(v.window, last.Sub(lost.oldest))
			}
		}
	}
	return v
}

// nothingLost requires that no acknowledged write is lost, and that all values are possible.
func (v verdict) nothingLost(t testing.TB, s *server) {
	t.Helper()
	require.Empty(t, v.faults, "%s", s.output())
	require.Zero(t, v.lost, "of %d acknowledged writes lost, the oldest %v before the last\n%s", v.acked, v.window, s.output())
}

// nothingOldLost requires that lost writes were acknowledged within a window that ends with the last acknowledged
// write, and that all values are possible.
func (v verdict) nothingOldLost(t testing.TB, s *server, window time.Duration) {
	t.Helper()
	require.Empty(t, v.faults, "%s", s.output())
	require.LessOrEqual(t, v.window, window, "%d of %d acknowledged writes lost\n%s", v.lost, v.acked, s.output())
}
