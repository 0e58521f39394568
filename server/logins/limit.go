package logins

import (
	"log/slog"
	"net/netip"
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

	mu            sync.Mutex           // guards recent and older
	recent, older map[netip.Addr]int64 // TAT of each address, in nanoseconds of the monotonic clock

	logMu   sync.Mutex        // guards entries
	entries []commands.Denial // oldest first
}

// New returns a watch without failed attempts. config returns the configuration in force.
func New(config func() *config.Config, clock commands.Clock, log *slog.Logger) *Logins {
	return &Logins{config: config, clock: clock, log: log, recent: map[netip.Addr]int64{}}
}

// maxAddresses bounds the addresses that fail before the limit forgets the older half of them. A
// client needs more addresses than this to make the limit forget one. Each takes about 100 bytes.
const maxAddresses = 10_000

// Try implements [commands.Logins]. The limit follows the real time: DEBUG CLOCK does not move it.
func (l *Logins) Try(addr netip.Addr, right func() bool) (ok bool, wait int64) {
	bound := l.config().AuthFailLimit
	quota, err := gcra.NewQuota(bound.Count-1, bound.Count, bound.Seconds)
	if bound.Count == 0 || err != nil || !addr.IsValid() {
		ok = right()
		l.count(ok)
		return ok, 0
	}
	addr = network(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	d, err := quota.Decide(l.tat(addr), l.clock.Monotonic(), 1)
	if d.Limited || err != nil {
		l.limited.Add(1)
		return false, max(d.RetryAfter, 1)
	}
	ok = right() // under the lock: parallel attempts do not exceed the limit
	l.count(ok)
	if ok {
		return true, 0
	}
	l.remember(addr, d.TAT)
	if d.Remaining == 0 {
		l.log.Warn("too many failed attempts to authenticate: further ones from this address are refused (auth-fail-limit)", "address", addr)
	}
	return false, 0
}

func (l *Logins) count(ok bool) {
	if !ok {
		l.failed.Add(1)
	}
}

// network returns the address that the limit counts. The host of an IPv6 address may choose the
// last 64 bits itself, so they do not count.
func network(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	return addr
}

// tat returns the TAT of an address, 0 if there is no TAT. The caller holds mu.
func (l *Logins) tat(addr netip.Addr) int64 {
	if tat, found := l.recent[addr]; found {
		return tat
	}
	return l.older[addr]
}

// remember stores the TAT of an address. The caller holds mu.
func (l *Logins) remember(addr netip.Addr, tat int64) {
	if _, found := l.recent[addr]; !found && len(l.recent) >= maxAddresses {
		l.recent, l.older = map[netip.Addr]int64{}, l.recent
	}
	l.recent[addr] = tat
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
