package replica

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Bounds on what the master sends. [Options] has that of a whole command.
const (
	maxLine = 64 << 10 // bytes of a line of the protocol
	maxStep = 64 << 10 // memory that a claim alone may take
)

// reader reads the lines and the commands of a master. It counts the bytes that it has taken.
type reader struct {
	in    *bufio.Reader
	taken int64
	most  int // bytes of a command
	args  [][]byte
	ends  []int // of the arguments in buf
	buf   []byte
}

func newReader(in io.Reader, most int) *reader {
	return &reader{in: bufio.NewReaderSize(in, maxLine), most: most}
}

// line reads a line without its end. It is valid until the next read.
func (r *reader) line() ([]byte, error) {
	b, err := r.in.ReadSlice('\n')
	r.taken += int64(len(b))
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("a line is longer than %d bytes: this is no Redis", maxLine)
	case err != nil:
		return nil, err
	}
	b = b[:len(b)-1]
	if n := len(b); n > 0 && b[n-1] == '\r' {
		b = b[:n-1]
	}
	return b, nil
}

// reply reads a line that is not empty. Masters send empty lines while they prepare a copy.
func (r *reader) reply() ([]byte, error) {
	for {
		if b, err := r.line(); err != nil || len(b) > 0 {
			return b, err
		}
	}
}

// number reads a line that has a mark and a number.
func (r *reader) number(mark byte, what string, most int64) (int64, error) {
	b, err := r.line()
	if err != nil {
		return 0, err
	}
	if len(b) > 0 && b[0] == mark {
		if n, err := strconv.ParseInt(string(b[1:]), 10, 64); err == nil && n >= 0 && n <= most {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%.40q is not %s, which begins with %q and is at most %d", b, what, mark, most)
}

// command reads a command. Its arguments are valid until the next read. No argument means an empty line.
func (r *reader) command() ([][]byte, error) {
	r.buf, r.ends, r.args = r.buf[:0], r.ends[:0], r.args[:0]
	if cap(r.buf) > 16*maxStep {
		r.buf = nil
	}
	if b, err := r.in.Peek(1); err == nil && (b[0] == '\n' || b[0] == '\r') {
		_, err = r.line()
		return nil, err
	}
	n, err := r.number('*', "the number of words of a command", int64(r.most))
	for ; err == nil && n > 0; n-- {
		err = r.argument()
	}
	if err != nil {
		return nil, err
	}
	from := 0
	for _, end := range r.ends {
		r.args = append(r.args, r.buf[from:end:end])
		from = end
	}
	return r.args, nil
}

// argument reads a word of a command into buf.
func (r *reader) argument() error {
	const perWord = 32 // its place in args and ends
	size, err := r.number('$', "the length of a word", int64(r.most))
	if err != nil {
		return err
	}
	if len(r.buf)+int(size)+perWord*(len(r.ends)+1) > r.most {
		return &Stop{fmt.Errorf("a command of the master has more than %d bytes: "+
			"raise client-query-buffer-limit, and send REPLICAOF again", r.most)}
	}
	for left := int(size) + 2; left > 0; {
		step := min(left, maxStep)
		from := len(r.buf)
		r.buf = slices.Grow(r.buf, step)[:from+step]
		n, err := io.ReadFull(r.in, r.buf[from:])
		r.taken += int64(n)
		if err != nil {
			return err
		}
		left -= step
	}
	end := len(r.buf) - 2
	if string(r.buf[end:]) != "\r\n" {
		return fmt.Errorf("a word of %d bytes does not end with a line break: the link is out of step", size)
	}
	r.buf = r.buf[:end]
	r.ends = append(r.ends, end)
	return nil
}

// rests reports whether no further byte has arrived.
func (r *reader) rests() bool { return r.in.Buffered() == 0 }
