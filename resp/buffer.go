package resp

// Len is the number of bytes written since the last Reset.
func (w *Writer) Len() int { return len(w.buf) }

// Bytes is what has been written since the last Reset; it is valid until the next write.
func (w *Writer) Bytes() []byte { return w.buf }

// Reset forgets everything written and keeps the buffer.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// Mark is the present position, for [Writer.Truncate].
func (w *Writer) Mark() int { return len(w.buf) }

// Truncate takes back everything written since the mark.
func (w *Writer) Truncate(mark int) { w.buf = w.buf[:mark] }

// DeferArray starts an array whose length is known only once its elements are written; the handle
// goes to [Writer.SetArray]. Deferred aggregates nest: the inner one must be set first.
func (w *Writer) DeferArray() int { return len(w.buf) }

// DeferMap is [Writer.DeferArray] for a map; see [Writer.SetMap].
func (w *Writer) DeferMap() int { return len(w.buf) }

// DeferSet is [Writer.DeferArray] for a set; see [Writer.SetSet].
func (w *Writer) DeferSet() int { return len(w.buf) }

// SetArray gives the array begun at the handle its length, n elements.
func (w *Writer) SetArray(handle, n int) {
	end := len(w.buf)
	w.Array(n)
	w.moveTail(handle, end)
}

// SetMap gives the map begun at the handle its length, n pairs.
func (w *Writer) SetMap(handle, n int) {
	end := len(w.buf)
	w.Map(n)
	w.moveTail(handle, end)
}

// SetSet gives the set begun at the handle its length, n members.
func (w *Writer) SetSet(handle, n int) {
	end := len(w.buf)
	w.Set(n)
	w.moveTail(handle, end)
}

// moveTail moves the header written at end in front of what was written since at.
func (w *Writer) moveTail(at, end int) {
	var header [24]byte
	n := copy(header[:], w.buf[end:])
	copy(w.buf[at+n:], w.buf[at:end])
	copy(w.buf[at:], header[:n])
}

// shrink gives the buffer back when it is empty and holds more than keep bytes.
func (w *Writer) shrink(keep int) {
	if len(w.buf) == 0 && cap(w.buf) > keep {
		w.buf = nil
	}
}
