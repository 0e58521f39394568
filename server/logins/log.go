package logins

import (
	"slices"
	"strings"

	"cellserver/commands"
)

// Bounds of ACL LOG. A denial joins an equal entry of the last groupOf entries if that is at most
// groupWithin older, as in Redis. Source: addACLLogEntry of its acl.c.
const (
	groupOf     = 10
	groupWithin = 60_000_000_000 // nanoseconds
	maxText     = 1024           // bytes of each text of an entry
)

// Note implements [commands.Logins].
func (l *Logins) Note(e commands.Denial) {
	e.Count = 1
	for _, text := range []*string{&e.User, &e.Object, &e.Client} {
		*text = strings.Clone((*text)[:min(len(*text), maxText)])
	}
	bound := l.config().ACLLogMaxLen
	l.logMu.Lock()
	defer l.logMu.Unlock()
	for i := len(l.entries) - 1; i >= max(0, len(l.entries)-groupOf); i-- {
		if old := l.entries[i]; joins(&old, &e) {
			e.Count += old.Count
			l.entries = append(slices.Delete(l.entries, i, i+1), e)
			return
		}
	}
	l.entries = append(l.entries, e)
	if n := int64(len(l.entries)) - bound; n > 0 {
		l.entries = slices.Delete(l.entries, 0, int(n))
	}
}

func joins(old, e *commands.Denial) bool {
	between := max(e.At-old.At, old.At-e.At)
	return between <= groupWithin && old.Reason == e.Reason && old.Context == e.Context && old.Object == e.Object && old.User == e.User
}

// Failures implements [commands.Logins].
func (l *Logins) Denials(n int64) []commands.Denial {
	l.logMu.Lock()
	defer l.logMu.Unlock()
	all := int64(len(l.entries))
	newest := slices.Clone(l.entries[all-min(max(n, 0), all):])
	slices.Reverse(newest)
	return newest
}

// Forget implements [commands.Logins].
func (l *Logins) Forget() {
	l.logMu.Lock()
	defer l.logMu.Unlock()
	l.entries = nil
}
