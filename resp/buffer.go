package resp

// Len returns the number of bytes written since the last Reset.
func (w *Writer) Len() int { return len(w.buf) }

// Bytes returns the bytes written since the last Reset. It is valid until the next write.
func (w *Writer) Bytes() []byte { return w.buf }

// Reset removes everything written, and keeps the buffer.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// Mark returns the present position, for [Writer.Truncate].
func (w *Writer) Mark() int { return len(w.buf) }

// Truncate removes everything written since the mark.
func (w *Writer) Truncate(mark int) { w.buf = w.buf[:mark] }

// DeferArray starts an array of unknown length. Write the elements, then give the handle and their number to
// [Writer.SetArray]. Deferred arrays nest: set the inner one first.
func (w *Writer) DeferArray() int { return len(w.buf) }

// SetArray ends an array that DeferArray started: it inserts the header for n elements before them.
func (w *Writer) SetArray(handle, n int) {
	end := len(w.buf)
	w.Array(n)
	var header [24]byte
	size := copy(header[:], w.buf[end:])
	copy(w.buf[handle+size:], w.buf[handle:end])
	copy(w.buf[handle:], header[:size])
}

// shrink frees the buffer if it is empty and larger than keep bytes.
func (w *Writer) shrink(keep int) {
	if len(w.buf) == 0 && cap(w.buf) > keep {
		w.buf = nil
	}
}
