package resp

// Sizes of the buffers of a connection, in bytes.
const (
	smallBuffer = 4 << 10  // an idle connection
	busyBuffer  = 64 << 10 // one whose reads fill what they are given; bigger ones are given back at once
	minRead     = 1 << 10  // room that a read is given at least

	// calmReads is after how many reads that a small buffer would have held the big one is given back.
	calmReads = 64
	// manyArgs is for how many arguments the bookkeeping is kept between commands.
	manyArgs = 1024
)

// input is the bytes received and not yet run, and the command that is being read from them.
type input struct {
	buf    []byte
	start  int    // first byte of the command at hand
	end    int    // behind the last byte received
	want   int    // size of the next buffer, smallBuffer at least
	calm   int    // reads in a row that would have fitted a small buffer
	own    []byte // takes what is unread when buf is lent and must be given back
	lent   bool
	parser parser

	commands [4]command // the one at hand, at first, and those behind it that were foreseen, modulo 4
	first    uint
	seen     uint // how many were foreseen
	beyond   int  // their bytes
}

// command is one that was found, by its arguments.
type command struct {
	args [][]byte
	size int // in bytes
}

// foreseen is how many commands are foreseen at most.
const foreseen = 3

// at returns the command so many places behind the one at hand.
func (in *input) at(n uint) *command { return &in.commands[(in.first+n)%uint(len(in.commands))] }

// args are the arguments of the command at hand.
func (in *input) args() [][]byte { return in.at(0).args }

// space is room for the next read. It grows while a command fills it, never by what a header claims.
func (in *input) space() []byte {
	if in.start == in.end {
		in.start, in.end = 0, 0
		if len(in.buf) != in.want {
			in.replace(in.want)
		}
		return in.buf
	}
	if len(in.buf)-in.end >= minRead {
		return in.buf[in.end:]
	}
	size := len(in.buf)
	if in.end-in.start > size/2 || size < in.want {
		size = grown(size, in.parser.need()+minRead)
	}
	in.replace(max(size, smallBuffer))
	return in.buf[in.end:]
}

// grown is the size that follows size: twice that, or up to three times if this is all that the
// argument at hand needs. It always grows by half at least, so that moving what is held costs
// little for each byte.
func grown(size, need int) int {
	if need > size+size/2 && need <= 3*size {
		return need
	}
	return 2 * size
}

// replace moves what is held to the front of a buffer of the given size.
func (in *input) replace(size int) {
	old := in.buf[in.start:in.end]
	if size != len(in.buf) {
		in.buf = make([]byte, size)
		for _, c := range in.commands {
			clear(c.args[:cap(c.args)])
		}
	}
	in.end = copy(in.buf, old)
	in.start = 0
}

// filled counts n bytes read into space.
func (in *input) filled(n int) {
	if in.lent {
		in.end += n
		return
	}
	switch room := len(in.buf) - in.end; {
	case n == room && in.want < busyBuffer:
		in.want = min(2*in.want, busyBuffer)
		in.calm = 0
	case n > smallBuffer/2:
		in.calm = 0
	case in.want > smallBuffer:
		if in.calm++; in.calm > calmReads {
			in.want, in.calm = smallBuffer, 0
		}
	}
	in.end += n
}

// next looks for a command with at least one argument: in.args are then its arguments, until the
// buffer changes. Asked again before done, it finds the same one.
func (in *input) next(h Handler) (bool, error) {
	if in.seen > 0 {
		in.first++
		in.seen--
		in.beyond -= in.at(0).size
		return true, nil
	}
	c := in.at(0)
	if !in.parser.begun {
		if c.args, c.size = plain(in.buf[in.start:in.end], c.args[:0]); c.size > 0 {
			return true, nil
		}
	}
	found, err := in.search(h)
	if found {
		c.size = in.parser.pos
		c.args = in.parser.arguments(in.buf[in.start:in.end], c.args[:0])
	}
	return found, err
}

// search is next for whatever is not plain.
func (in *input) search(h Handler) (bool, error) {
	for in.start < in.end {
		if !in.parser.begun {
			in.parser.begun = true
			in.parser.limits = h.Limits().orDefault()
		}
		found, err := in.parser.parse(in.buf[in.start:in.end])
		switch {
		case err != nil:
			return false, err
		case found == complete:
			return true, nil
		case found == empty:
			in.at(0).size = in.parser.pos
			in.done()
		case int64(in.end-in.start) > in.parser.limits.MaxBuffer:
			return false, ErrBufferLimit
		default:
			return false, nil
		}
	}
	return false, nil
}

// foresee returns the arguments of the command behind those that were found and foreseen, if it is
// plain and has come, else none. next finds it in its turn.
func (in *input) foresee() [][]byte {
	if in.seen == foreseen {
		return nil
	}
	behind := in.buf[in.start+in.at(0).size+in.beyond : in.end]
	c := in.at(in.seen + 1)
	if c.args, c.size = plain(behind, c.args[:0]); c.size == 0 {
		return nil
	}
	in.seen++
	in.beyond += c.size
	return c.args
}

// forget takes back what was foreseen: the buffer may change.
func (in *input) forget() { in.seen, in.beyond = 0, 0 }

// done drops the command at hand.
func (in *input) done() {
	c := in.at(0)
	in.start += c.size
	c.size = 0
	if !in.parser.begun {
		return
	}
	in.parser.reset()
	if cap(in.parser.spans) > manyArgs {
		in.parser.spans, c.args = nil, nil
	}
}

// capacity is the memory held, in bytes.
func (in *input) capacity() int {
	const spanSize, argSize = 16, 24
	n := len(in.buf) + cap(in.parser.spans)*spanSize
	for _, c := range in.commands {
		n += cap(c.args) * argSize
	}
	return n
}

// shrink gives the buffer back if it holds nothing.
func (in *input) shrink() {
	if in.start == in.end && len(in.buf) > smallBuffer {
		in.start, in.end = 0, 0
		in.buf, in.commands, in.want, in.calm = nil, [4]command{}, smallBuffer, 0
	}
}

// keptRest is up to what size the buffer for what is unread is kept while it is empty.
const keptRest = 512

// lend makes shared the buffer, if there is room for the command at hand, and returns the room for
// the next read.
func (in *input) lend(shared []byte) []byte {
	held := in.buf[in.start:in.end]
	if len(held) > len(shared)/2 || in.parser.need() > len(shared) {
		return in.space()
	}
	in.own, in.lent = in.buf, true
	in.buf, in.start, in.end = shared, 0, copy(shared, held)
	return shared[in.end:]
}

// giveBack moves what is unread out of the buffer that was lent.
func (in *input) giveBack() {
	if !in.lent {
		return
	}
	rest := in.buf[in.start:in.end]
	if len(rest) > len(in.own) {
		in.own = make([]byte, len(rest))
	} else if len(rest) == 0 && len(in.own) > keptRest {
		in.own = nil
	}
	in.buf, in.start, in.end = in.own, 0, copy(in.own, rest)
	in.own, in.lent = nil, false
}
