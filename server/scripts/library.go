package scripts

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"cellserver/script"
)

// known is a script that the server knows.
type known struct {
	sha   string
	text  []byte
	flags script.Flags
	// loaded is the number of its SCRIPT LOAD, at this node or another one. 0: only EVAL has sent it. Then it
	// is forgotten before the others. It changes under the mu of the library.
	loaded atomic.Int64
	used   atomic.Int64
	wide   atomic.Bool // it has used a key that it has not declared: it runs with every partition
	long   atomic.Bool // it has taken long: it runs where it is alone
}

// The bounds of a library. In Redis 7.0, a client that puts values into its scripts fills the memory.
const (
	maxEvals    = 4096 // scripts that only EVAL has sent
	maxBytes    = 32 << 20
	scriptBytes = 256 // of memory that a script takes besides its text

	// Up to so many bytes, scripts of other nodes go on to all nodes. Full libraries would exchange their
	// scripts for ever, because each script takes the place of others.
	maxGoOn = maxBytes / 4
)

// sender says who has sent a script.
type sender uint8

const (
	byEval sender = iota
	byLoad        // SCRIPT LOAD of a client
	byNode        // SCRIPT LOAD at another node
)

// load is a SCRIPT LOAD. It counts while the script has its number.
type load struct {
	number int64
	script *known
	goesOn bool // nodes that are connected get it, too, and not only those that connect later
}

// library has scripts by their SHA-1. It forgets those that were not used for the longest time.
type library struct {
	mu        sync.RWMutex // guards bySHA, loads, evals and bytes
	bySHA     map[string]*known
	loads     []load // by their numbers; at most about twice as many as scripts
	evals     int    // scripts that only EVAL has sent
	bytes     int
	clock     atomic.Int64 // counts additions, and numbers those of SCRIPT LOAD
	lastLoad  atomic.Int64 // the highest number of a SCRIPT LOAD; 0 for none
	forgotten atomic.Int64 // scripts that made room for others
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

// add adds a script, or returns the one that is there already.
func (l *library) add(k *known, by sender) *known {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.bySHA[k.sha]
	now := cmp.Or(was, k)
	if was != nil && by != byEval && was.loaded.Load() == 0 {
		l.evals--
	}
	if by != byEval {
		now.loaded.Store(l.clock.Add(1))
	}
	if was == nil {
		l.insert(k)
	}
	if by != byEval {
		l.note(load{now.loaded.Load(), now, by == byLoad || l.bytes <= maxGoOn})
	}
	return now
}

// insert adds a new script.
func (l *library) insert(k *known) {
	if l.bySHA == nil {
		l.bySHA = map[string]*known{}
	}
	k.used.Store(l.clock.Add(1))
	l.bySHA[k.sha] = k
	l.count(k, 1)
	if l.evals > maxEvals || l.bytes > maxBytes {
		l.makeRoom(k)
	}
}

// note notes a SCRIPT LOAD.
func (l *library) note(last load) {
	const few = 64
	if len(l.loads) > 2*len(l.bySHA)+few {
		l.loads = slices.DeleteFunc(l.loads, func(o load) bool { return !o.counts() })
	}
	l.loads = append(l.loads, last)
	l.lastLoad.Store(last.number)
}

func (o *load) counts() bool { return o.script.loaded.Load() == o.number }

// count counts a script, or with by = -1 that it is gone.
func (l *library) count(k *known, by int) {
	l.bytes += by * (len(k.text) + scriptBytes)
	if k.loaded.Load() == 0 {
		l.evals += by
	}
}

// makeRoom forgets scripts until a sixteenth of the exceeded bound is free, so that an addition rarely
// sorts. It forgets those of EVAL first. A script of SCRIPT LOAD only makes room for bytes. The new script
// stays.
func (l *library) makeRoom(but *known) {
	evals, size := maxEvals, maxBytes
	if l.evals > evals {
		evals -= evals / 16
	}
	if l.bytes > size {
		size -= size / 16
	}
	for _, k := range slices.SortedFunc(maps.Values(l.bySHA), forgottenBefore) {
		switch {
		case l.bytes <= size && (l.evals <= evals || k.loaded.Load() != 0):
			return
		case k != but:
			delete(l.bySHA, k.sha)
			l.count(k, -1)
			k.loaded.Store(0)
			l.forgotten.Add(1)
		}
	}
}

// forgottenBefore orders scripts: those of EVAL come first, and then the one that was not used for the
// longest time.
func forgottenBefore(a, b *known) int {
	if a, b := a.loaded.Load(), b.loaded.Load(); (a == 0) != (b == 0) {
		if a == 0 {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.used.Load(), b.used.Load())
}

// loadedAfter returns the texts whose SCRIPT LOAD came after the one of a number, in their order. It returns
// the number of the last one, too. After 0 it returns those that do not go on, as well.
func (l *library) loadedAfter(number int64) (texts [][]byte, last int64) {
	if l.lastLoad.Load() <= number {
		return nil, number
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	from := sort.Search(len(l.loads), func(i int) bool { return l.loads[i].number > number })
	for _, o := range l.loads[from:] {
		if o.counts() && (o.goesOn || number == 0) {
			texts = append(texts, o.script.text)
		}
	}
	return texts, l.lastLoad.Load()
}

// flush forgets all scripts.
func (l *library) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bySHA, l.loads, l.evals, l.bytes = nil, nil, 0, 0
}

// size returns how many scripts there are, their bytes, and how many have made room for others.
func (l *library) size() (scripts, bytes int, forgotten int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.bySHA), l.bytes, l.forgotten.Load()
}
