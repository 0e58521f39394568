package ratelimit

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// longestDenial bounds how long a refusal is repeated without a request to the server. So a change of a rule has its effect
// after this time.
const longestDenial = time.Second

// denials remembers refusals by their questions. If there are too many, it forgets the one that was used least recently.
type denials struct {
	mu     sync.Mutex                     // guards byName
	byName *simplelru.LRU[string, denial] // nil remembers no refusal
}

// A denial refuses its quantity and larger ones. It does not refuse smaller quantities.
type denial struct {
	decision Decision
	quantity int64
	until    time.Time
}

func newDenials(most int) denials {
	if most < 0 {
		return denials{}
	}
	all, err := simplelru.NewLRU[string, denial](most, nil)
	if err != nil {
		panic(err) // most is positive
	}
	return denials{byName: all}
}

// find returns the refusal of a question. Of the callers after its end one finds nothing and asks the server. The others get
// the old refusal until that one has its answer, or until the time-out.
func (d *denials) find(name string, quantity int64, now time.Time, timeout time.Duration) (Decision, bool) {
	if d.byName == nil {
		return Decision{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.byName.Get(name)
	if !ok || quantity < found.quantity {
		return Decision{}, false
	}
	if !now.Before(found.until) {
		d.byName.Add(name, denial{found.decision, found.quantity, now.Add(timeout)})
		return Decision{}, false
	}
	return found.decision, true
}

// add remembers a refusal of a question that was asked at now.
func (d *denials) add(name string, quantity int64, refusal Decision, now time.Time) {
	if d.byName == nil {
		return
	}
	wait := longestDenial
	if refusal.RetryAfter >= 0 {
		wait = min(wait, refusal.RetryAfter)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byName.Add(name, denial{refusal, quantity, now.Add(wait)})
}

// remove forgets the refusal of a question, unless it is the refusal of a larger quantity.
func (d *denials) remove(name string, quantity int64) {
	if d.byName == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if found, ok := d.byName.Peek(name); ok && quantity >= found.quantity {
		d.byName.Remove(name)
	}
}
