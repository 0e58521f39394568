package logins

import (
	"hash/maphash"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/gcra"
	"cellserver/internal/config"
)

// Logins implements [commands.Logins].
type Logins struct {
	config          func() *config.Config
	clock           commands.Clock
	log             *slog.Logger
	failed, limited atomic.Int64
	seed            maphash.Seed

	mu      sync.Mutex // guards guesses and right
	guesses generations[guesses]
	right   generations[tags]

	logMu   sync.Mutex        // guards entries
	entries []commands.Denial // oldest first
}

// New returns a watch without failed attempts. config returns the configuration in force.
func New(config func() *config.Config, clock commands.Clock, log *slog.Logger) *Logins {
	return &Logins{config: config, clock: clock, log: log, seed: maphash.MakeSeed()}
}

// guesses are the failed attempts of an address.
type guesses struct {
	tat   int64 // in nanoseconds of the monotonic clock
	wrong tags
}

// tags are the keyed hashes of the last different credentials of an address.
type tags struct {
	of   [16]uint64
	next uint8 // where the next one goes
}

func (t *tags) has(tag uint64) bool { return t != nil && slices.Contains(t.of[:], tag) }

func (t *tags) add(tag uint64) {
	t.of[t.next] = tag
	t.next = (t.next + 1) % uint8(len(t.of))
}

// Try implements [commands.Logins].
func (l *Logins) Try(addr netip.Addr, name, password []byte, right func() bool) (ok bool, wait int64) {
	end, wait := l.Begin(addr, name, password)
	if wait > 0 {
		return false, wait
	}
	if ok = right(); ok {
		end(commands.Right)
	} else {
		end(commands.Wrong)
	}
	return ok, 0
}

// Begin implements [commands.Logins]. The limit follows the real time: DEBUG CLOCK does not move it.
//
// A guess is a credential that the address has not tried before. After too many guesses, no new credential of
// the address is compared. So a guesser learns nothing from a refusal. Credentials that the address has
// used before pass, and credentials that were wrong before are wrong without counting. So a client with an
// old password locks nobody out.
//
// A guess counts from its beginning, so that parallel ones do not exceed the limit.
func (l *Logins) Begin(addr netip.Addr, name, password []byte) (end func(commands.Outcome), wait int64) {
	bound := l.config().AuthFailLimit
	quota, err := gcra.NewQuota(bound.Count-1, bound.Count, bound.Seconds)
	if bound.Count == 0 || err != nil || !addr.IsValid() {
		return l.count, 0
	}
	addr, tag := network(addr), l.tag(name, password)
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.guesses.get(addr)
	if l.right.get(addr).has(tag) || before != nil && before.wrong.has(tag) {
		return func(is commands.Outcome) { l.end(addr, tag, is) }, 0
	}
	if before == nil {
		before = &guesses{}
	}
	now := l.clock.Monotonic()
	d, err := quota.Decide(before.tat, now, 1)
	if d.Limited || err != nil {
		l.limited.Add(1)
		return nil, max(d.RetryAfter, 1)
	}
	cost := d.TAT - max(before.tat, now)
	before.tat = d.TAT
	before.wrong.add(tag)
	l.guesses.put(addr, before)
	return func(is commands.Outcome) {
		l.end(addr, tag, is)
		switch {
		case is != commands.Wrong:
			l.refund(addr, tag, cost)
		case d.Remaining == 0:
			l.log.Warn("too many failed attempts to authenticate: further ones from this address are "+
				"refused (auth-fail-limit)", "address", addr)
		}
	}, 0
}

// end notes how an attempt has ended.
func (l *Logins) end(addr netip.Addr, tag uint64, is commands.Outcome) {
	l.count(is)
	if is != commands.Right {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	used := l.right.get(addr)
	if used == nil {
		used = l.right.put(addr, &tags{})
	}
	if !used.has(tag) {
		used.add(tag)
	}
}

// refund takes a guess back that was none.
func (l *Logins) refund(addr netip.Addr, tag uint64, cost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.guesses.get(addr)
	if g == nil {
		return
	}
	g.tat -= cost
	if i := slices.Index(g.wrong.of[:], tag); i >= 0 {
		g.wrong.of[i] = 0
	}
}

func (l *Logins) count(is commands.Outcome) {
	if is == commands.Wrong {
		l.failed.Add(1)
	}
}

// tag returns the keyed hash of a credential. It is never 0.
func (l *Logins) tag(name, password []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	h.Write(name)
	h.WriteByte(0) // no name has a zero byte
	h.Write(password)
	return h.Sum64() | 1
}

// network returns the address that the limit counts. The host of an IPv6 address may choose the
// last 64 bits itself, so they do not count.
func network(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	return addr
}

// Failed returns the number of attempts with a wrong user or password.
func (l *Logins) Failed() int64 { return l.failed.Load() }

// Limited returns the number of attempts that auth-fail-limit refused.
func (l *Logins) Limited() int64 { return l.limited.Load() }

// ResetCounts sets both numbers to zero: CONFIG RESETSTAT. The limit stays.
func (l *Logins) ResetCounts() {
	l.failed.Store(0)
	l.limited.Store(0)
}

// generations keeps a value for each of the last addresses. After maxAddresses new ones it forgets the older
// half.
type generations[T any] struct{ recent, older map[netip.Addr]*T }

// maxAddresses bounds the addresses before the older half is forgotten. A client needs more addresses than
// this to make the server forget one. Each takes about 250 bytes.
const maxAddresses = 10_000

// get returns the value of an address, nil if there is none. The address is one of the recent ones then.
func (g *generations[T]) get(addr netip.Addr) *T {
	if v := g.recent[addr]; v != nil {
		return v
	}
	if v := g.older[addr]; v != nil {
		return g.put(addr, v)
	}
	return nil
}

// put stores the value of an address, and returns it.
func (g *generations[T]) put(addr netip.Addr, v *T) *T {
	if g.recent == nil || g.recent[addr] == nil && len(g.recent) >= maxAddresses {
		g.recent, g.older = map[netip.Addr]*T{}, g.recent
	}
	g.recent[addr] = v
	return v
}
