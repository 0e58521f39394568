package sidecar

import (
	"context"
	"sync"

	"cellserver/router"
	"cellserver/sidecar/account"
)

// leaving has the users whose last client may have left before its requests were charged.
type leaving struct {
	mu    sync.Mutex // guards until; nothing is taken inside it
	until map[*router.User]int64
}

// stay keeps a user that a client does not use any more, until a time.
func (l *leaving) stay(user *router.User, until int64) {
	l.mu.Lock()
	_, stays := l.until[user]
	if l.until == nil {
		l.until = map[*router.User]int64{}
	}
	l.until[user] = until
	l.mu.Unlock()
	if stays {
		user.Release()
	}
}

// due returns the users whose time has come.
func (l *leaving) due(now int64) (left []*router.User) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for user, until := range l.until {
		if now >= until {
			left = append(left, user)
			delete(l.until, user)
		}
	}
	return left
}

// releaseLeft releases the users whose clients have left, as soon as they owe nothing.
func (s *Sidecar) releaseLeft(now int64) {
	for _, user := range s.leaving.due(now) {
		if s.owes(user) {
			settings := s.o.Settings()
			s.leaving.stay(user, now+settings.patience())
			continue
		}
		user.Release()
	}
}

// owes reports whether the hub has not counted all requests of a user.
func (s *Sidecar) owes(user *router.User) bool {
	for i := range s.shards {
		if s.shards[i].owes(user.Name()) {
			return true
		}
	}
	return false
}

// SettleUp gives back the units of all leases, and charges what is owed. No client is left. It waits for the
// answers of the hub, upstream-timeout at most.
func (s *Sidecar) SettleUp(ctx context.Context) {
	if !s.o.Hub.Up() {
		return
	}
	var answers sync.WaitGroup
	now := s.o.Clock()
	for i := range s.shards {
		s.shards[i].settleUp(now, &answers)
	}
	answered := make(chan struct{})
	go func() {
		answers.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

func (sh *shard) owes(user string) bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.table.Owes(user)
}

func (sh *shard) settleUp(now account.Time, answers *sync.WaitGroup) {
	var asks []*ask
	sh.mu.Lock()
	sh.table.End(now, func(a *account.Account, q account.Ask) {
		one := sh.newAsk(now, a, q)
		one.last = answers
		answers.Add(1)
		asks = append(asks, one)
	})
	sh.mu.Unlock()
	for _, q := range asks {
		q.send()
	}
}
