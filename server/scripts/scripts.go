package scripts

import (
	"bytes"
	"sync"
	"unsafe"

	"cellserver/commands"
	"cellserver/script"
	"cellserver/store"
)

// Scripts implements [commands.Scripts]. The zero Scripts knows no script.
type Scripts struct {
	// Loaded follows each SCRIPT LOAD. It must not wait. Nil does nothing.
	Loaded  func()
	library library
	engines engines
	long    long
	shared  shared
}

// engines are the engines that run no script now.
type engines struct {
	mu      sync.Mutex // guards idle and running
	idle    []*runner  // the one that was used last is at the end
	running int
}

const (
	maxRunning = 128 // half of them may take long
	maxIdle    = 16
)

const errTooMany commands.Error = "BUSY too many scripts run at the same time: try again"

// take returns an engine, which give gives back.
func (e *engines) take() (*runner, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running == maxRunning {
		return nil, errTooMany
	}
	e.running++
	if n := len(e.idle); n > 0 {
		r := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return r, nil
	}
	return newRunner(), nil
}

// give gives an engine back. A nil one is lost: a command has panicked in it.
func (e *engines) give(r *runner) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running--
	if r != nil && len(e.idle) < maxIdle {
		e.idle = append(e.idle, r)
	}
}

// flush drops the idle engines, because they keep scripts that the library has forgotten.
func (e *engines) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = nil
}

// Load implements [commands.Scripts].
func (s *Scripts) Load(text []byte) (sha string, err error) {
	if s.Loaded != nil {
		defer s.Loaded()
	}
	sha = script.SHA(text)
	if k := s.library.find([]byte(sha)); k != nil {
		s.library.add(k, byLoad)
		return sha, nil
	}
	r, err := s.engines.take()
	if err != nil {
		return "", err
	}
	defer s.engines.give(r)
	if _, _, err := s.compile(r, &known{sha: sha}, text, byLoad); err != nil {
		return "", err
	}
	return sha, nil
}

// LoadedAfter returns the texts whose SCRIPT LOAD came after the one of a number, and the number of the last.
func (s *Scripts) LoadedAfter(number int64) (texts [][]byte, last int64) {
	return s.library.loadedAfter(number)
}

// Keep keeps a script that SCRIPT LOAD has sent to another node, which has compiled it. While there are few
// scripts, a new one goes on to all other nodes, because that node may not reach all of them.
func (s *Scripts) Keep(text []byte) {
	k := &known{sha: script.SHA(text), text: bytes.Clone(text)}
	if was := s.library.find([]byte(k.sha)); was != nil && was.loaded.Load() != 0 {
		return
	}
	k.flags, _, _ = script.ParseFlags(text)
	s.library.add(k, byNode)
	if s.Loaded != nil {
		s.Loaded()
	}
}

// Exists implements [commands.Scripts].
func (s *Scripts) Exists(sha []byte) bool { return s.named(sha) != nil }

// Flush implements [commands.Scripts].
func (s *Scripts) Flush() {
	s.library.flush()
	s.engines.flush()
}

// Size returns how many scripts there are, about how many bytes they take, and how many have made room for
// others.
func (s *Scripts) Size() (n, bytes int, forgotten int64) { return s.library.size() }

// scratch is what a connection keeps for the scripts of a batch.
type scratch struct {
	script *known
	word   *byte // the text or the SHA by which the script was found
	memory memory
	shared *shared
	// garbage is what large scripts have taken of shared, until their transaction ends. EXEC does not wait:
	// its scripts together may make more than the limit.
	garbage int64
}

func scratchOf(c *commands.Conn) *scratch {
	if c.Scratch.Script == nil {
		c.Scratch.Script = scratches.Get().(*scratch)
	}
	return c.Scratch.Script.(*scratch)
}

// scratches are those of connections that run no script now.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// endMemory says that what the scripts have made is garbage now.
func (s *scratch) endMemory() {
	s.shared.waste(s.garbage)
	s.garbage = 0
}

// endTransaction says that no transaction refers to the memory any more.
func (s *scratch) endTransaction() {
	s.memory.reset()
	s.endMemory()
}

// Release ends the batch, and with it the transaction of the last script.
func (s *scratch) Release() {
	s.script, s.word = nil, nil
	s.endTransaction()
	scratches.Put(s)
}

// Footprint implements [commands.Scripts].
func (s *Scripts) Footprint(c *commands.Call, o commands.Script, fp *store.Footprint) {
	own := scratchOf(c.Conn)
	own.script, own.word = s.find(o), unsafe.SliceData(o.Text)
	if c.Conn.Transaction.Queue.Active || own.script != nil && own.script.wide.Load() {
		fp.AddAll()
	}
}

// find returns a script. If the server does not know it, and it is not called by its SHA, find returns a new
// one without its text.
func (s *Scripts) find(o commands.Script) *known {
	if o.BySHA {
		return s.named(o.Text)
	}
	sha := script.SHA(o.Text)
	if k := s.library.find([]byte(sha)); k != nil {
		return k
	}
	return &known{sha: sha}
}

// shaLength is the length of a SHA-1 in hexadecimal digits. No other name is the name of a script, whatever
// its length.
const shaLength = 40

// named returns the script of a SHA, in digits of any case. It returns nil if the server does not know it.
func (s *Scripts) named(sha []byte) *known {
	if len(sha) != shaLength {
		return nil
	}
	if k := s.library.find(sha); k != nil {
		return k
	}
	return s.library.find(bytes.ToLower(sha))
}

// scriptOf is find, for a call that may have asked for its footprint before. In a transaction the server may
// have forgotten the script since then, by SCRIPT FLUSH.
func (s *Scripts) scriptOf(c *commands.Call, own *scratch, o commands.Script) *known {
	if own.script != nil && own.word == unsafe.SliceData(o.Text) && !c.Conn.Transaction.Running {
		return own.script
	}
	return s.find(o)
}
