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
// goes to [Writer.SetArray]. Deferred arrays nest: the inner one must be set first.
func (w *Writer) DeferArray() int { return len(w.buf) }

// SetArray gives the array begun at the handle its length, n elements: the header, written
// at the end, moves in front of them.
func (w *Writer) SetArray(handle, n int) {
	end := len(w.buf)
	w.Array(n)
	var header [24]byte
	size := copy(header[:], w.buf[end:])
	copy(w.buf[handle+size:], w.buf[handle:end])
	copy(w.buf[handle:], header[:size])
}

// shrink gives the buffer back when it is empty and holds more than keep bytes.
func (w *Writer) shrink(keep int) {
	if len(w.buf) == 0 && cap(w.buf) > keep {
		w.buf = nil
	}
}
