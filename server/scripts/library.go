package scripts

import (
	"sync"
	"sync/atomic"

	"cellserver/script"
)

// known is a script that the server knows.
type known struct {
	sha   string
	text  []byte
	flags script.Flags
	keep  bool // SCRIPT LOAD has sent it: it is forgotten after those of EVAL
	used  atomic.Int64
	wide  atomic.Bool // it has used a key that it has not declared: it runs with every partition
	long  atomic.Bool // it has taken long: it runs where it is alone
}

// The bounds of a library. In Redis 7.0, a client that puts values into its scripts fills the memory.
const (
	maxScripts = 4096
	maxBytes   = 32 << 20
)

// library has scripts by their SHA-1. It forgets those that were not used for the longest time.
type library struct {
	mu    sync.RWMutex // guards bySHA and bytes
	bySHA map[string]*known
	bytes int
	clock atomic.Int64 // counts additions
}

// find returns a script, nil if there is no such script.
func (l *library) find(sha []byte) *known {
	l.mu.RLock()
	k := l.bySHA[string(sha)]
	l.mu.RUnlock()
	if k == nil {
		return nil
	}
	if now := l.clock.Load(); k.used.Load() != now {
		k.used.Store(now)
	}
	return k
}

// add adds a script. It returns the one that is there already.
func (l *library) add(k *known) *known {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was := l.bySHA[k.sha]; was != nil {
		was.keep = was.keep || k.keep
		return was
	}
	if l.bySHA == nil {
		l.bySHA = map[string]*known{}
	}
	k.used.Store(l.clock.Add(1))
	l.bySHA[k.sha] = k
	l.bytes += len(k.text)
	for len(l.bySHA) > maxScripts || l.bytes > maxBytes {
		l.forgetOne(k)
	}
	return k
}

// forgetOne forgets a script, but not the new one.
func (l *library) forgetOne(but *known) {
	var oldest *known
	for _, k := range l.bySHA {
		if k != but && (oldest == nil || k.before(oldest)) {
			oldest = k
		}
	}
	delete(l.bySHA, oldest.sha)
	l.bytes -= len(oldest.text)
}

// before reports whether a script is forgotten before another one.
func (k *known) before(other *known) bool {
	if k.keep != other.keep {
		return other.keep
	}
	return k.used.Load() < other.used.Load()
}

// flush forgets all scripts.
func (l *library) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bySHA, l.bytes = nil, 0
}

// size returns how many scripts there are, and the bytes of their texts.
func (l *library) size() (scripts, bytes int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.bySHA), l.bytes
}
