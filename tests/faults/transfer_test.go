package faults

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// accounts is the number of keys whose sum never changes.
const accounts = 200

// A market is a number of clients that move amounts between accounts, in transactions. So the sum of all accounts is 0.
type market struct {
	stop chan struct{}
	wg   sync.WaitGroup
	done atomic.Int64 // transfers
}

func openMarket(addr string, r *rand.Rand) *market {
	m := &market{stop: make(chan struct{})}
	for range 4 {
		mine := rand.New(rand.NewSource(r.Int63()))
		m.wg.Go(func() { m.trade(addr, mine) })
	}
	return m
}

// trade moves amounts until the market closes or the server ends. It sends several transfers at once.
func (m *market) trade(addr string, r *rand.Rand) {
	c, err := dial(addr)
	if err != nil {
		return
	}
	defer c.close()
	for {
		select {
		case <-m.stop:
			return
		default:
		}
		n := 1 + r.Intn(8)
		var b []byte
		for range n {
			from, to, amount := r.Intn(accounts), r.Intn(accounts), r.Intn(1000)
			b = append(b, group(resptest.Command("DECRBY", account(from), amount), resptest.Command("INCRBY", account(to), amount))...)
		}
		if _, err := c.nc.Write(b); err != nil {
			return
		}
		for range 4 * n {
			if _, err := c.receive(); err != nil {
				return
			}
		}
		m.done.Add(int64(n))
	}
}

// awaitTransfer waits until a client has made a transfer.
func (m *market) awaitTransfer(t *testing.T) {
	t.Helper()
	require.True(t, within(patience, func() (bool, error) { return m.done.Load() > 0, nil }), "nobody trades")
}

func (m *market) close() (transfers int64) {
	close(m.stop)
	m.wg.Wait()
	return m.done.Load()
}

func account(n int) string { return fmt.Sprint("account ", n) }

// sum returns the sum of all accounts.
func sum(t *testing.T, s *server) int64 {
	t.Helper()
	args := []any{"MGET"}
	for n := range accounts {
		args = append(args, account(n))
	}
	total := int64(0)
	for _, v := range s.do(t, args...).([]any) {
		n, present, err := one(v)
		require.NoError(t, err)
		require.True(t, present)
		total += n
	}
	return total
}

// TestSnapshotUnderLoad saves snapshots while amounts move between keys of all partitions. No snapshot may have one
// half of a transfer.
func TestSnapshotUnderLoad(t *testing.T) {
	p := subject(t)
	r := random(t)
	dir := t.TempDir()
	s := p.start(t, dir, noLog...)
	ballast(t, s)
	m := openMarket(s.addr, r)
	m.awaitTransfer(t)
	n := rounds(5, 100)
	var taken []string
	for range n {
		require.Equal(t, resptest.Simple("Background saving started"), s.do(t, "BGSAVE"))
		require.True(t, idle(s))
		require.Equal(t, "ok", s.info(t, "rdb_last_bgsave_status"))
		to := t.TempDir()
		require.NoError(t, os.Rename(filepath.Join(dir, "dump.rdb"), filepath.Join(to, "dump.rdb")))
		taken = append(taken, to)
	}
	transfers := m.close()
	s.kill()
	for _, dir := range taken {
		s := p.start(t, dir, noLog...)
		require.Zero(t, sum(t, s))
		s.kill()
	}
	t.Logf("%d snapshots during %d transfers", n, transfers)
	require.Positive(t, transfers)
}

// TestRewriteUnderLoad is TestSnapshotUnderLoad for the append-only file. It kills the server at random times during
// consecutive rewrites.
func TestRewriteUnderLoad(t *testing.T) {
	p := subject(t)
	r := random(t)
	dir := t.TempDir()
	n := rounds(5, 100)
	s := p.start(t, dir, appendOnly("everysec")...)
	ballast(t, s)
	transfers := int64(0)
	for range n {
		m := openMarket(s.addr, r)
		m.awaitTransfer(t)
		for end := time.Now().Add(time.Duration(r.Intn(500)) * time.Millisecond); time.Now().Before(end); {
			s.do(t, "BGREWRITEAOF")
			time.Sleep(time.Duration(r.Intn(50)) * time.Millisecond)
		}
		s.kill()
		transfers += m.close()
		s = p.start(t, dir, appendOnly("everysec")...)
		require.Zero(t, sum(t, s), "%s", s.output())
	}
	s.kill()
	t.Logf("killed %d times during rewrites and %d transfers", n, transfers)
	require.Positive(t, transfers)
}

// TestEveryChangeIsLogged lets clients change the same keys with all commands, while the log is rewritten and
// snapshots are saved. Then it kills the server. The recovered contents must be exactly the same.
func TestEveryChangeIsLogged(t *testing.T) {
	p := subject(t)
	n := rounds(2, 50)
	r := random(t)
	keys := 0
	for range n {
		dir := t.TempDir()
		args := appendOnly("everysec")
		if r.Intn(2) == 0 {
			args = append(args, "--maxmemory", "2mb", "--maxmemory-policy", "allkeys-random")
		}
		s := p.start(t, dir, args...)
		var wg sync.WaitGroup
		for range 4 {
			mine := rand.New(rand.NewSource(r.Int63()))
			wg.Go(func() { writeRandom(t, s, mine, 1000) })
		}
		for range 5 {
			time.Sleep(time.Duration(r.Intn(30)) * time.Millisecond)
			s.do(t, []any{"BGREWRITEAOF", "BGSAVE"}[r.Intn(2)])
		}
		wg.Wait()
		require.True(t, idle(s))
		held := contents(t, s)
		require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
		s.kill()
		s = p.start(t, copyDir(t, dir), appendOnly("everysec")...)
		holds(t, s, held, "the log")
		s.kill()
		snapshot := copyDir(t, dir)
		refuses(t, p, snapshot, "appendonlydir", noLog...)
		require.NoError(t, os.Rename(filepath.Join(snapshot, "appendonlydir"), filepath.Join(snapshot, "appendonlydir.old")))
		s = p.start(t, snapshot, noLog...)
		holds(t, s, held, "the snapshot")
		s.kill()
		keys += len(held)
	}
	t.Logf("%d times 4000 commands on %d keys", n, keys)
}

// ballast adds keys so that a snapshot takes some time, and opens all accounts.
func ballast(t *testing.T, s *server) {
	t.Helper()
	c, err := dial(s.addr)
	require.NoError(t, err)
	defer c.close()
	for part := range 20 {
		args := []any{"MSET"}
		for n := range 5000 {
			args = append(args, fmt.Sprint("ballast ", part*5000+n), n)
		}
		for n := range accounts {
			args = append(args, account(n), 0)
		}
		v, err := c.do(args...)
		require.NoError(t, err)
		require.Equal(t, resptest.Simple("OK"), v)
	}
}
