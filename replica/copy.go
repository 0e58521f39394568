package replica

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

const (
	maxCopy  = int64(1) << 50 // bytes of a copy
	markSize = 40             // bytes of the mark that ends a copy of unknown length
)

// section is the part of the stream that is a full copy. Its end is a number of bytes, or a mark.
type section struct {
	r      *reader
	left   int64  // bytes; -1: the mark ends the copy
	mark   []byte // of markSize bytes
	read   int64
	report func(read int64)
}

// section reads the line before a copy: `$` and its length, or `$EOF:` and its mark. size is 0 for a mark.
func (r *reader) section() (s *section, size int64, err error) {
	b, err := r.reply()
	if err != nil {
		return nil, 0, err
	}
	if b[0] == '-' {
		return nil, 0, fmt.Errorf("the master makes no copy: %s", b[1:])
	}
	if mark, ok := bytes.CutPrefix(b, []byte("$EOF:")); ok && len(mark) == markSize {
		return &section{r: r, left: -1, mark: bytes.Clone(mark)}, 0, nil
	}
	if b[0] == '$' {
		if size, err = strconv.ParseInt(string(b[1:]), 10, 64); err == nil && size >= 0 && size <= maxCopy {
			return &section{r: r, left: size}, size, nil
		}
	}
	return nil, 0, fmt.Errorf("%.60q is not the beginning of a copy, "+
		"which is $ and its length, or $EOF: and a mark", b)
}

// Read implements io.Reader.
func (s *section) Read(p []byte) (n int, err error) {
	switch {
	case s.left == 0:
		return 0, io.EOF
	case s.left > 0:
		n, err = s.r.in.Read(p[:min(int64(len(p)), s.left)])
		s.left -= int64(n)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	default:
		n, err = s.readToMark(p)
	}
	s.read += int64(n)
	s.report(s.read)
	return n, err
}

// readToMark reads what cannot be the beginning of the mark.
func (s *section) readToMark(p []byte) (int, error) {
	b, err := s.r.in.Peek(max(markSize, s.r.in.Buffered()))
	if i := bytes.Index(b, s.mark); i >= 0 {
		n := copy(p, b[:i])
		_, _ = s.r.in.Discard(n) // it is buffered
		if n == i {
			_, _ = s.r.in.Discard(markSize)
			s.left = 0
		}
		return n, nil
	}
	n := copy(p, b[:max(0, len(b)-markSize+1)])
	_, _ = s.r.in.Discard(n)
	if n > 0 {
		err = nil
	} else if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
