package resp

// Sizes of a session's input buffer, in bytes.
const (
	// IdleBuffer is the size for a connection whose reads are short.
	IdleBuffer = 4 << 10
	// BusyBuffer is the size for a connection whose reads fill the buffer. A session frees a larger
	// buffer as soon as it is empty.
	BusyBuffer = 64 << 10

	minRead = 1 << 10 // least room for a read behind an incomplete command

	// calmReads is the number of short reads in a row after which a session frees its large buffer.
	calmReads = 64
	// manyArgs is the number of arguments above which a session frees the parser's memory after a command.
	manyArgs = 1024
)

// input holds the bytes received and not yet run, and finds the commands in them.
type input struct {
	buf      []byte
	start    int    // first byte of the current command
	end      int    // behind the last byte received
	want     int    // size of the next buffer, at least IdleBuffer
	calm     int    // short reads in a row
	own      []byte // the session's own buffer, while another is lent
	lent     bool   // buf belongs to the driver
	parser   parser
	upcoming lookahead
}

// args returns the arguments of the current command.
func (in *input) args() [][]byte { return in.upcoming.at(0).args }

// space returns room for the next read. The buffer grows with the received bytes, never with the length that
// a header claims.
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
	in.replace(max(size, IdleBuffer))
	return in.buf[in.end:]
}

// grown returns the next buffer size: twice the size, or exactly need if that is between 1.5 and 3 times the
// size. Each step is at least one half of the size, so the cost of copying stays low for each byte.
func grown(size, need int) int {
	if need > size+size/2 && need <= 3*size {
		return need
	}
	return 2 * size
}

// replace moves the unread bytes to the front of a buffer of the given size.
func (in *input) replace(size int) {
	old := in.buf[in.start:in.end]
	if size != len(in.buf) {
		in.buf = make([]byte, size)
		in.upcoming.clear()
	}
	in.end = copy(in.buf, old)
	in.start = 0
}

// fit frees the room behind the unread bytes.
func (in *input) fit() {
	if n := in.unread(); !in.lent && n < len(in.buf) {
		in.replace(n)
	}
}

// adapt chooses the size of the next buffer, after n bytes were read into space.
func (in *input) adapt(n int) {
	switch room := len(in.buf) - in.end + n; {
	case n == room && in.want < BusyBuffer:
		in.want = min(2*in.want, BusyBuffer)
		in.calm = 0
	case n > IdleBuffer/2:
		in.calm = 0
	case in.want > IdleBuffer:
		if in.calm++; in.calm > calmReads {
			in.want, in.calm = IdleBuffer, 0
		}
	}
}

// next finds a command with at least one argument. Its arguments are then in.args(), until the buffer
// changes. Without a call of done, the following call finds the same command.
func (in *input) next(h Handler) (bool, error) {
	if in.upcoming.found > 0 {
		in.upcoming.advance()
		return true, nil
	}
	if in.start == in.end {
		return false, nil
	}
	c := in.upcoming.at(0)
	if !in.parser.begun {
		if c.args, c.size = plain(in.buf[in.start:in.end], c.args[:0]); c.size > 0 {
			return true, nil
		}
	}
	found, err := in.parse(h)
	if found {
		c.size = in.parser.pos
		c.args = in.parser.arguments(in.buf[in.start:in.end], c.args[:0])
	}
	return found, err
}

// parse is the complete form of next: for every command that is not plain.
func (in *input) parse(h Handler) (bool, error) {
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
			in.upcoming.at(0).size = in.parser.pos
			in.done()
		case int64(in.end-in.start+in.parser.bookkeeping()) > in.parser.limits.MaxBuffer:
			return false, ErrBufferLimit
		default:
			return false, nil
		}
	}
	return false, nil
}

// done drops the current command.
func (in *input) done() {
	c := in.upcoming.at(0)
	if in.start, c.size = in.start+c.size, 0; in.parser.begun {
		in.endParsed(c)
	}
}

// endParsed makes the parser ready for the next command.
func (in *input) endParsed(c *command) {
	in.parser.reset()
	if cap(in.parser.spans) > manyArgs {
		in.parser.spans, c.args = nil, nil
	}
}

// unread returns the number of bytes received and not yet run.
func (in *input) unread() int { return in.end - in.start }

// hasMore reports whether there are bytes behind the current command.
func (in *input) hasMore() bool { return in.unread() > in.upcoming.at(0).size }

// shrink frees the buffer if it is empty and larger than IdleBuffer.
func (in *input) shrink() {
	if in.start == in.end && len(in.buf) > IdleBuffer {
		in.start, in.end = 0, 0
		in.buf, in.upcoming, in.want, in.calm = nil, lookahead{}, IdleBuffer, 0
	}
}
