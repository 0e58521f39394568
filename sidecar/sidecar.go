package sidecar

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// Local is a client of the server in this process, which answers what concerns the connection itself.
type Local interface {
	resp.Handler
	Conn() *commands.Conn
	BecomeForeign(user string) // shows the client as one of a user of the hub
}

// Settings are the directives of a sidecar. CONFIG SET may change them.
type Settings struct {
	account.Settings
	Lost    account.Policy
	Timeout time.Duration
}

// Options are what a Sidecar is made of.
type Options struct {
	Hub      *router.Hub
	User     router.Identity // of clients that do not authenticate
	Clock    func() account.Time
	Guesses  commands.Logins // bounds the passwords that an address may guess
	Settings func() Settings // the present ones
	Log      *slog.Logger
}

// Sidecar is what all clients share. Its methods are safe for concurrent use.
type Sidecar struct {
	o         Options
	user      *router.User // of clients that do not authenticate
	shards    [shards]shard
	lost      atomic.Int64 // decisions that the hub did not answer
	dropped   recent       // whose accounts were dropped
	advised   recent       // whose lack of a right the log has said
	written   written
	explained explained
	leaving   leaving
	running   sync.WaitGroup
	stop      context.CancelFunc
}

// tickEvery is how often leases and answers that are late are looked for.
const tickEvery = 20 * time.Millisecond

// New returns a Sidecar. It begins to ask the hub at once.
func New(o Options) (*Sidecar, error) {
	user, err := o.Hub.User(o.User)
	if err != nil {
		return nil, err
	}
	s := &Sidecar{o: o, user: user, dropped: recent{pause: aSecond}, advised: recent{pause: anHour}}
	s.written.seed = maphash.MakeSeed()
	for i := range s.shards {
		s.shards[i].init(s)
	}
	s.Configure(o.Settings().Settings)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	o.Hub.Watch(user, s.dropUser)
	s.running.Go(func() {
		for tick := time.Tick(tickEvery); ; {
			select {
			case <-tick:
				s.tick()
			case <-ctx.Done():
				return
			}
		}
	})
	return s, nil
}

// Close ends the periodic work and the connections to the hub.
func (s *Sidecar) Close() {
	s.stop()
	s.running.Wait()
	s.o.Hub.Close()
}

// Configure changes the bounds of the accounts.
func (s *Sidecar) Configure(settings account.Settings) {
	settings.Keys = max(1, (settings.Keys+shards-1)/shards)
	s.each(func(t *account.Table) { t.Set(settings) })
}

// each calls do with the accounts of each shard.
func (s *Sidecar) each(do func(*account.Table)) {
	for i := range s.shards {
		s.shards[i].locked(do)
	}
}

// forget forgets what the hub said about all limits, unless it owes the hub units.
func (s *Sidecar) forget() {
	s.explained.forget()
	s.each(func(t *account.Table) { t.Forget(func(*account.Account) bool { return true }, true) })
}

// dropUser drops the accounts of a user whom the hub does not accept any more.
func (s *Sidecar) dropUser(name string) {
	s.each(func(t *account.Table) { t.DropUser(name) })
}

// denied forgets the accounts of a user whom the hub has refused something, unless they owe units. The next
// charge says whether the hub takes those. Accounts are forgotten once a second at most, because the hub may
// refuse each command of that user. The caller may hold the lock of a shard.
func (s *Sidecar) denied(name string, now account.Time) {
	if !s.dropped.note(name, now.Boot) {
		return
	}
	s.running.Go(func() {
		s.each(func(t *account.Table) {
			t.Forget(func(a *account.Account) bool { return a.User() == name }, true)
		})
	})
}

// leave says that a client does not use a user any more. The user stays until its last requests are charged,
// and the units of its leases are spent or given back.
func (s *Sidecar) leave(user *router.User) {
	settings := s.o.Settings()
	s.leaving.stay(user, s.o.Clock().Boot+settings.patience())
}

// patience is how long a last question and its repetition take, in microseconds.
func (s *Settings) patience() int64 { return 2 * (s.Interval*1000 + s.Timeout.Microseconds()) }

// busy returns the users of whom the hub still has to hear.
func (s *Sidecar) busy() map[string]bool {
	users := map[string]bool{}
	s.each(func(t *account.Table) { t.AddBusy(users) })
	return users
}

// tick does what is due.
func (s *Sidecar) tick() {
	now := s.o.Clock()
	settings := s.o.Settings()
	s.leaving.release(now.Boot, settings.patience(), s.busy)
	for i := range s.shards {
		s.shards[i].tick(now)
	}
}

// Accounts returns the number of accounts.
func (s *Sidecar) Accounts() (n int) {
	s.each(func(t *account.Table) { n += t.Len() })
	return n
}

// Figures returns the sums of all accounts, and how many decisions the hub did not answer.
func (s *Sidecar) Figures() (sum account.Figures, lost int64) {
	s.each(func(t *account.Table) { sum.Add(&t.Figures) })
	return sum, s.lost.Load()
}

// Hub returns the hub.
func (s *Sidecar) Hub() *router.Hub { return s.o.Hub }
