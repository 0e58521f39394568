package sidecar

import (
	"sync"

	"cellserver/router"
)

// leaving has the users whose last client may have left before the hub knows all about its requests.
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

// release releases the users whose time has come. Those who are busy stay for another while.
func (l *leaving) release(now, while int64, busy func() map[string]bool) {
	var left []*router.User
	l.mu.Lock()
	for user, until := range l.until {
		if now >= until {
			left = append(left, user)
			delete(l.until, user)
		}
	}
	l.mu.Unlock()
	if len(left) == 0 {
		return
	}
	stay := busy()
	for _, user := range left {
		if stay[user.Name()] {
			l.stay(user, now+while)
		} else {
			user.Release()
		}
	}
}
