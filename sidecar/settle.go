package sidecar

import (
	"context"
	"sync"

	"cellserver/sidecar/account"
)

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

// settleUp sends the last questions of a shard, and waits for those under way, too.
func (sh *shard) settleUp(now account.Time, answers *sync.WaitGroup) {
	var asks []*ask
	sh.mu.Lock()
	sh.table.End(now, func(a *account.Account, q account.Ask) {
		one := sh.newAsk(now, a, q)
		one.last = answers
		answers.Add(1)
		asks = append(asks, one)
	})
	for _, d := range sh.due {
		if q, is := d.question.(*ask); is && !q.ended && q.last == nil {
			q.last = answers
			answers.Add(1)
		}
	}
	sh.mu.Unlock()
	for _, q := range asks {
		q.send()
	}
}
