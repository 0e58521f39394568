package resp

import "slices"

// DeferArray starts an array of unknown length. Write the elements, then give the handle and their number to
// [Writer.SetArray]. Deferred arrays nest: set the inner one first.
func (w *Writer) DeferArray() int { return w.Len() }

// SetArray ends an array that DeferArray started: it inserts the header for n elements before them.
func (w *Writer) SetArray(handle, n int) {
	if w.over {
		return
	}
	header := appendHeader(nil, '*', n)
	if at := handle - w.held; at >= 0 {
		w.put(slices.Insert(w.buf, at, header...))
		return
	}
	at, i := handle, 0
	for ; at >= len(w.full[i]); i++ {
		at -= len(w.full[i])
	}
	w.full[i] = slices.Insert(w.full[i], at, header...)
	w.held += len(header)
	w.settle()
}
