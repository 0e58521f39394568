package sidecar

import (
	"maps"
	"sync"
)

// dropped has the users whose accounts were dropped within the last second.
type dropped struct {
	mu sync.Mutex // guards at; nothing is taken inside it
	at map[string]int64
}

// note notes that the accounts of a user are dropped now, in microseconds. It returns false if they were just
// before.
func (d *dropped) note(name string, now int64) bool {
	const pause = 1_000_000
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, found := d.at[name]; found && now-at < pause {
		return false // as a rule: the look at all users below comes once a second for each user
	}
	maps.DeleteFunc(d.at, func(_ string, at int64) bool { return now-at >= pause })
	if d.at == nil {
		d.at = map[string]int64{}
	}
	d.at[name] = now
	return true
}
