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
	args   [][]byte
	size   int // bytes of the command found, whose arguments args are

	aheadArgs [][]byte // of the command behind it, when it was foreseen
	ahead     int      // its bytes, 0 when it was not
}

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
		clear(in.args[:cap(in.args)])
		clear(in.aheadArgs[:cap(in.aheadArgs)])
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
	if in.ahead > 0 {
		in.args, in.aheadArgs = in.aheadArgs, in.args
		in.size, in.ahead = in.ahead, 0
		return true, nil
	}
	if !in.parser.begun {
		if in.args, in.size = plain(in.buf[in.start:in.end], in.args[:0]); in.size > 0 {
			return true, nil
		}
	}
	found, err := in.search(h)
	if found {
		in.size = in.parser.pos
		in.args = in.parser.arguments(in.buf[in.start:in.end], in.args[:0])
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
			in.size = in.parser.pos
			in.done()
		case int64(in.end-in.start) > in.parser.limits.MaxBuffer:
			return false, ErrBufferLimit
		default:
			return false, nil
		}
	}
	return false, nil
}

// foresee returns the arguments of the command after the one that was found, if it is plain and has
// come, else none. The next call of next finds it.
func (in *input) foresee() [][]byte {
	behind := in.buf[in.start+in.size : in.end]
	if len(behind) == 0 {
		return nil
	}
	if in.aheadArgs, in.ahead = plain(behind, in.aheadArgs[:0]); in.ahead == 0 {
		return nil
	}
	return in.aheadArgs
}

// forget takes back what was foreseen: the buffer may change.
func (in *input) forget() { in.ahead = 0 }

// done drops the command at hand.
func (in *input) done() {
	in.start += in.size
	in.size = 0
	if !in.parser.begun {
		return
	}
	in.parser.reset()
	if cap(in.parser.spans) > manyArgs {
		in.parser.spans, in.args = nil, nil
	}
}

// capacity is the memory held, in bytes.
func (in *input) capacity() int {
	const spanSize, argSize = 16, 24
	return len(in.buf) + cap(in.parser.spans)*spanSize + (cap(in.args)+cap(in.aheadArgs))*argSize
}

// shrink gives the buffer back if it holds nothing.
func (in *input) shrink() {
	if in.start == in.end && len(in.buf) > smallBuffer {
		in.start, in.end = 0, 0
		in.buf, in.args, in.aheadArgs, in.want, in.calm = nil, nil, nil, smallBuffer, 0
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
