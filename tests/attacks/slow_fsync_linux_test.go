package attacks

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// write sends changes from clients until stop is called, each after the reply to the last.
func (s *server) write(clients int) (stop func()) {
	ending := make(chan struct{})
	var writing sync.WaitGroup
	for i := range clients {
		c := s.dial()
		writing.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ending:
					return
				default:
				}
				c.Send("SET", fmt.Sprint("key:", i), n)
				if _, err := c.TryRecv(); err != nil {
					return
				}
			}
		})
	}
	return func() {
		close(ending)
		writing.Wait()
	}
}

// silent requires that a client gets no reply for a while.
func silent(t *testing.T, c *resptest.Client) {
	t.Helper()
	c.NetConn().SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	_, err := c.NetConn().Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	c.NetConn().SetReadDeadline(time.Time{})
}

// TestFsyncHoldsOnlyWriters has 50 clients wait for fsyncs of 100 ms. Before, the event loop itself waited: the PINGs of
// another client took as long and more. Now their p99 is at most half an fsync, and 2 ms on a quiet machine.
func TestFsyncHoldsOnlyWriters(t *testing.T) {
	s, disk := startSlow(t, "--appendonly", "yes", "--appendfsync", "always", "--save", "")
	disk.delay.Store(int64(100 * time.Millisecond))
	stop := s.write(50)
	before := disk.syncs.Load()
	s.calm(func(_, p99 time.Duration) bool { return p99 <= 50*time.Millisecond })
	require.Eventually(t, func() bool { return disk.syncs.Load() > before+3 }, patience, time.Millisecond, "the writers wait for the disk")
	stop()
	s.alive()
}

// TestLateFsyncHoldsOnlyWriters has an fsync under everysec take as long as the test. Before, everybody waited from the
// second second on, the health check included: with an fsync of 7 s, for 6.2 s. Redis, whose clients wait only for the
// write, stalls for 71 ms. Now only clients that change something wait.
func TestLateFsyncHoldsOnlyWriters(t *testing.T) {
	s, disk := startSlow(t, "--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
	require.Equal(t, resptest.Simple("OK"), s.dial().Do("SET", "k", "old"))
	disk.delay.Store(int64(time.Hour))
	stop := s.write(5)
	late := func() bool { return s.info("aof_delayed_fsync") != "0" }
	require.Eventually(t, late, patience, 50*time.Millisecond)
	writer, reader, subscriber := s.dial(), s.dial(), s.dial()
	require.NotNil(t, subscriber.Do("SUBSCRIBE", "news"))
	writer.Send("SET", "k", "new")
	require.Eventually(t, func() bool { return reader.Do("GET", "k") == "new" }, patience, time.Millisecond)
	for range 100 {
		require.Equal(t, resptest.Simple("PONG"), reader.Do("PING"))
		require.EqualValues(t, 1, reader.Do("PUBLISH", "news", "x"))
		require.NotNil(t, subscriber.Recv())
	}
	silent(t, writer)
	disk.free()
	require.Equal(t, resptest.Simple("OK"), writer.Recv())
	stop()
	s.alive()
}

// TestReadsWaitUnderAlways requires that no reply shows a change before it is on disk.
func TestReadsWaitUnderAlways(t *testing.T) {
	s, disk := startSlow(t, "--appendonly", "yes", "--appendfsync", "always", "--save", "")
	require.Equal(t, resptest.Simple("OK"), s.dial().Do("SET", "k", "old"))
	writer, reader, other := s.dial(), s.dial(), s.dial()
	require.Equal(t, "old", reader.Do("GET", "k"), "nothing waits")
	disk.delay.Store(int64(time.Hour))
	before := disk.syncs.Load()
	writer.Send("SET", "k", "new")
	require.Eventually(t, func() bool { return disk.syncs.Load() > before }, patience, time.Millisecond)
	reader.Send("GET", "k")
	for range 100 {
		require.Equal(t, resptest.Simple("PONG"), other.Do("PING"))
	}
	silent(t, reader)
	disk.free()
	require.Equal(t, "new", reader.Recv())
	require.Equal(t, resptest.Simple("OK"), writer.Recv())
	s.alive()
}

// TestAFullLogHoldsOnlyWriters has clients copy values while an fsync does not end, until their changes wait in memory. Before,
// the next client that used a key made the event loop wait for the disk, and everybody with it. Now a client that changes a
// key waits alone, and nothing more collects.
func TestAFullLogHoldsOnlyWriters(t *testing.T) {
	s, disk := startSlow(t, "--appendonly", "yes", "--appendfsync", "always", "--save", "")
	s.guard(512 << 20)
	other := s.dial()
	require.Equal(t, resptest.Simple("OK"), other.Do("SET", "from", string(make([]byte, 1<<20))))
	disk.delay.Store(int64(time.Hour))
	before := disk.syncs.Load()
	var writers []*resptest.Client
	for range 40 {
		c := s.dial()
		c.Send("COPY", "from", "to", "REPLACE")
		writers = append(writers, c)
	}
	require.Eventually(t, func() bool { return disk.syncs.Load() > before }, patience, time.Millisecond)
	time.Sleep(200 * time.Millisecond) // the copies arrive in real time
	for n := range 10 {
		c := s.dial()
		c.Send("INCR", n)
		writers = append(writers, c)
	}
	for range 200 {
		require.Equal(t, resptest.Simple("PONG"), other.Do("PING"))
		time.Sleep(time.Millisecond) // the changes arrive in real time
	}
	silent(t, writers[0])
	disk.free()
	for _, c := range writers {
		require.EqualValues(t, 1, c.Recv())
	}
	s.alive()
}
