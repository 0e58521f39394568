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

// A load is clients that write, each to its own keys, for as long as their server lets them.
type load struct {
	clients []*client
	batch   int           // the most writes that a client has under way
	slowest time.Duration // of the rewrites in its server's life: by these it measures the machine

	stop chan struct{}
	wg   sync.WaitGroup
}

// A client writes to its tracks in pipelined batches.
type client struct {
	tracks []*track
	r      *rand.Rand
	err    error // what no failure of the server's excuses
}

// newLoad is clients with keys of each kind, which send up to batch writes at once.
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

// begin lets all clients write.
func (l *load) begin(addr string) {
	l.stop = make(chan struct{})
	for _, c := range l.clients {
		l.wg.Go(func() { c.run(addr, l.batch, l.stop) })
	}
}

// end has them finish, and fails the test if one of them was told nonsense. A client whose server has gone has finished.
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

// exchange sends n writes at once and reads their replies; it reports whether that can go on.
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

// once has every client write to each of its keys, a batch of them, and wait for the replies. It reports whether the
// server was there for all of it.
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

// acked is how many writes were acknowledged between the last recovery and a fault.
func (l *load) acked(fault time.Time) int {
	n := 0
	for _, k := range l.tracks() {
		n += sort.Search(len(k.acked), func(i int) bool { return !k.acked[i].at.Before(fault) })
	}
	return n
}

// refused is how many writes had an error for a reply, ever.
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

// A verdict is what a recovery was worth.
type verdict struct {
	acked  int           // writes acknowledged before it
	lost   int           // of these, not there
	window time.Duration // the oldest of them was acknowledged so long before the fault
	faults []error       // what must never be: values that nobody wrote, or more than were sent
}

// check reads every key from a server that has come back after a fault at a moment.
func (l *load) check(t testing.TB, s *server, fault time.Time) verdict {
	t.Helper()
	conn, err := dial(s.addr)
	require.NoError(t, err)
	defer conn.close()
	v := verdict{acked: l.acked(fault)}
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
				v.window = max(v.window, fault.Sub(lost.oldest))
			}
		}
	}
	return v
}

// nothingLost requires that every acknowledged write is there, and nothing else.
func (v verdict) nothingLost(t testing.TB, s *server) {
	t.Helper()
	require.Empty(t, v.faults, "%s", s.output())
	require.Zero(t, v.lost, "of %d acknowledged writes lost, the oldest %v before the fault\n%s", v.acked, v.window, s.output())
}

// nothingOldLost requires that no more is lost than was acknowledged in the window before the fault, and nothing else is
// there.
func (v verdict) nothingOldLost(t testing.TB, s *server, window time.Duration) {
	t.Helper()
	require.Empty(t, v.faults, "%s", s.output())
	require.LessOrEqual(t, v.window, window, "%d of %d acknowledged writes lost\n%s", v.lost, v.acked, s.output())
}
