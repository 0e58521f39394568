package resp

// DeferArray starts an array of unknown length. Write the elements, then give the handle and their number to
// [Writer.SetArray]. Deferred arrays nest: set the inner one first.
func (w *Writer) DeferArray() int { return w.Len() }

// SetArray ends an array that DeferArray started: it inserts the header for n elements before them.
func (w *Writer) SetArray(handle, n int) {
	if w.over {
		return
	}
	if at := handle - w.held; at >= 0 {
		w.put(insertHeader(w.buf, at, n))
		return
	}
	at, i := handle, 0
	for ; at >= len(w.full[i]); i++ {
		at -= len(w.full[i])
	}
	before := len(w.full[i])
	w.full[i] = insertHeader(w.full[i], at, n)
	w.held += len(w.full[i]) - before
	w.settle()
}

// insertHeader inserts the header of an array of n elements at a position of p.
func insertHeader(p []byte, at, n int) []byte {
	end := len(p)
	p = appendHeader(p, '*', n)
	var header [24]byte
	size := copy(header[:], p[end:])
	copy(p[at+size:], p[at:end])
	copy(p[at:], header[:size])
	return p
}
