package sidecar

import (
	"bytes"
	"cmp"
	"log/slog"
	"maps"
	"sync"
)

// The pauses, in microseconds.
const (
	aSecond = 1_000_000
	anHour  = 3600 * aSecond
)

// recent has the users for whom something was done within the last pause.
type recent struct {
	pause int64      // in microseconds
	mu    sync.Mutex // guards at; nothing is taken inside it
	at    map[string]int64
}

// note notes that it is done for a user now, in microseconds. It returns false if it was done just before.
func (d *recent) note(name string, now int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, found := d.at[name]; found && now-at < d.pause {
		return false // as a rule: the look at all users below comes once a pause for each user
	}
	maps.DeleteFunc(d.at, func(_ string, at int64) bool { return now-at >= d.pause })
	if d.at == nil {
		d.at = map[string]int64{}
	}
	d.at[name] = now
	return true
}

// advise says which right a user of the hub lacks, so that requests are not decided here. A reply about a key
// of somebody else needs no advice.
func (d *recent) advise(log *slog.Logger, name string, reply []byte, now int64) {
	if !isRefusal(reply) {
		return
	}
	for _, command := range []string{"cl.lease", "cl.charge", "cl.mwindow"} {
		if bytes.Contains(reply, []byte("'"+command+"'")) && d.note(name, now) {
			log.Warn("the hub decides each request of a user: at the hub, run ACL SETUSER with the name of "+
				"the user and +"+command, "user", cmp.Or(name, "default"))
		}
	}
}
