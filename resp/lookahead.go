package resp

// maxLookahead is the number of commands that a session announces before it runs them.
const maxLookahead = 3

// command is one complete request.
type command struct {
	args [][]byte
	size int // bytes
}

// lookahead holds the command that runs now and up to three plain commands behind it in the input buffer.
//
// It exists for speed alone.
//
// What it is: [Handler.Prefetch] gets these commands early. So their keys are in the processor's cache when
// they run.
//
// What it brings: with 2,000,000 keys it saves a third of the time of a pipelined CL.THROTTLE. It saves
// nothing while all keys fit in the cache. Measure it with another number of keys in manyKeys:
//
//	go test -run '^$' -bench ManyKeys/throttle ./server
//
// What it must never do: accept a request that the parser refuses, or change what a command does. The
// session drops the lookahead at the end of a batch, because the buffer may change then.
type lookahead struct {
	ring  [maxLookahead + 1]command
	first uint // position of the current command, modulo the length of ring
	found uint // number of known commands behind it
	bytes int  // their size
}

// at returns the command n places behind the current one, which is at(0).
func (l *lookahead) at(n uint) *command { return &l.ring[(l.first+n)%uint(len(l.ring))] }

// advance makes the next known command the current one. There is one.
func (l *lookahead) advance() {
	l.first++
	l.found--
	l.bytes -= l.at(0).size
}

// full reports whether three commands behind the current one are known.
func (l *lookahead) full() bool { return l.found == maxLookahead }

// find returns the arguments of the next command in buf that is not known yet; full must be false. The
// current command starts at start, and the bytes received end at end. The result is nil if the next command
// is not plain or not complete.
func (l *lookahead) find(buf []byte, start, end int) [][]byte {
	start += l.at(0).size + l.bytes
	if start == end {
		return nil
	}
	c := l.at(l.found + 1)
	if c.args, c.size = plain(buf[start:end], c.args[:0]); c.size == 0 {
		return nil
	}
	l.found++
	l.bytes += c.size
	return c.args
}

// forget drops the commands behind the current one.
func (l *lookahead) forget() { l.found, l.bytes = 0, 0 }

// clear removes the arguments, which keep the old input buffer alive.
func (l *lookahead) clear() {
	for _, c := range l.ring {
		clear(c.args[:cap(c.args)])
	}
}
