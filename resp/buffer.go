package resp

import "slices"

// segmentSize is the size of a writer's segments, in bytes. It is above flushAt, so that a batch of short
// replies stays in one segment.
const segmentSize = flushAt + 64<<10

// buffer holds the output of a [Writer]. A long output is a list of segments. A single slice would copy
// itself with each growth, and the peak of memory would be twice the output.
//
// A buffer checks its limit with each write. If the output exceeds the limit, the buffer frees everything
// and drops all further output.
type buffer struct {
	buf   []byte                     // the last segment
	room  int                        // length of buf up to which put has nothing to do; 0: measure it
	full  [][]byte                   // the segments before buf
	held  int                        // the bytes of full
	limit int                        // most bytes of all segments; 0: no limit
	over  bool                       // the output exceeded the limit
	grown func(size int) (limit int) // is called after each segment; may be nil
}

// put replaces the last segment, after a short write to it.
func (w *buffer) put(buf []byte) {
	w.buf = buf
	if len(buf) > w.room {
		w.settle()
	}
}

// settle checks the limit, and begins another segment if the last one is full.
func (w *buffer) settle() {
	switch {
	case w.over:
		w.buf = w.buf[:0]
	case w.limit > 0 && w.Len() > w.limit:
		w.overflow()
	case len(w.buf) >= segmentSize:
		w.nextSegment()
	}
	w.measure()
}

// measure computes room.
func (w *buffer) measure() {
	switch {
	case w.over:
		w.room = -1
	case w.limit > 0:
		w.room = min(segmentSize, w.limit-w.held)
	default:
		w.room = segmentSize
	}
}

// nextSegment begins another segment.
func (w *buffer) nextSegment() {
	w.full = append(w.full, w.buf)
	w.held += len(w.buf)
	if w.grown != nil {
		w.limit = w.grown(w.held)
		if w.limit > 0 && w.held > w.limit {
			w.overflow()
			return
		}
	}
	w.measure()
	w.buf = make([]byte, 0, max(w.room, 0)+minRead)
}

// overflow frees the output.
func (w *buffer) overflow() {
	w.buf, w.full, w.held, w.over = nil, nil, 0, true
	w.measure()
}

// spill appends bytes for which the last segment may lack the room.
func spill[T string | []byte](w *buffer, p T) {
	if w.limit > 0 && w.Len()+len(p) > w.limit && !w.over {
		w.overflow()
	}
	for w.measure(); !w.over; w.nextSegment() {
		n := min(len(p), max(w.room-len(w.buf), 0))
		w.buf = append(w.buf, p[:n]...)
		if p = p[n:]; len(p) == 0 {
			return
		}
	}
}

// SetLimit sets the largest size of the output in bytes. 0 is no limit.
func (w *buffer) SetLimit(bytes int) { w.limit, w.room = bytes, 0 }

// OnGrowth makes the buffer call grown after each segment, of about 1 MB, with the number of bytes. The
// result is the new limit.
func (w *buffer) OnGrowth(grown func(size int) (limit int)) { w.grown = grown }

// Over reports whether the output exceeded its limit. The writer drops all further replies, and the session
// closes after the command. A command that writes much may stop.
func (w *buffer) Over() bool { return w.over }

// Len returns the number of bytes written since the last Reset.
func (w *buffer) Len() int { return w.held + len(w.buf) }

// Bytes returns the bytes written since the last Reset. It is valid until the next write. It copies an output
// of several segments.
func (w *buffer) Bytes() []byte {
	if len(w.full) == 0 {
		return w.buf
	}
	return slices.Concat(append(slices.Clone(w.full), w.buf)...)
}

// Reset removes everything written, and keeps the last segment.
func (w *buffer) Reset() {
	w.buf, w.full, w.held, w.over = w.buf[:0], nil, 0, false
	w.measure()
}

// Mark returns the present position, for [Writer.Truncate].
func (w *buffer) Mark() int { return w.Len() }

// Truncate removes everything written since the mark.
func (w *buffer) Truncate(mark int) {
	if w.over {
		return
	}
	for mark < w.held {
		last := len(w.full) - 1
		w.buf, w.full = w.full[last], w.full[:last]
		w.held -= len(w.buf)
	}
	w.buf = w.buf[:mark-w.held]
	w.measure()
}

// own appends p, and takes the ownership of p. It ignores the limit.
func (w *buffer) own(p []byte) {
	if len(p) <= segmentSize-len(w.buf) {
		w.buf = append(w.buf, p...)
		return
	}
	if len(w.buf) > 0 {
		w.full = append(w.full, w.buf)
		w.held += len(w.buf)
	}
	w.buf = p
	w.measure()
}

// first returns the first segment to send.
func (w *buffer) first() []byte {
	if len(w.full) > 0 {
		return w.full[0]
	}
	return w.buf
}

// drop removes the first n bytes of the first segment.
func (w *buffer) drop(n int) {
	switch {
	case len(w.full) == 0 && n == len(w.buf):
		w.buf = w.buf[:0]
	case len(w.full) == 0:
		w.buf = w.buf[n:]
	default:
		w.held -= n
		if w.full[0] = w.full[0][n:]; len(w.full[0]) == 0 {
			w.full[0] = nil
			w.full = w.full[1:]
		}
	}
	w.measure()
}

// shrink frees the buffer if it is empty and larger than keep bytes.
func (w *buffer) shrink(keep int) {
	if len(w.buf) == 0 && cap(w.buf) > keep {
		w.buf = nil
	}
}
