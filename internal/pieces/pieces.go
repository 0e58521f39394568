package pieces

import (
	"slices"
	"unsafe"
)

// size is the size of a piece, in bytes. To copy it takes some microseconds.
const size = 128 << 10

// spare is room for the few bytes that often follow, so that they do not cost another copy.
const spare = 64

// Append is append(dst, p...) in pieces.
func Append[T string | []byte](dst []byte, p T) []byte {
	if len(p) <= size && len(dst) <= size {
		return append(dst, p...)
	}
	dst = Grow(dst, len(p))
	n := len(dst)
	dst = dst[:n+len(p)]
	move(dst[n:], p)
	return dst
}

// Grow is slices.Grow in pieces: it makes room for n more elements.
func Grow[E any](s []E, n int) []E {
	piece := max(1, size/int(unsafe.Sizeof(*new(E))))
	if cap(s)-len(s) >= n || len(s) <= piece && n <= piece {
		return slices.Grow(s, n)
	}
	grown := make([]E, len(s), max(len(s)+n+spare, len(s)+len(s)/4))
	for i := 0; i < len(s); i += piece {
		copyPiece(grown[i:], s[i:min(i+piece, len(s))])
	}
	return grown
}

// Extend appends n zero bytes.
func Extend(b []byte, n int) []byte {
	length := len(b)
	if room := cap(b) - length; room < n && n > size {
		return Grow(b, n)[:length+n] // new memory is zero
	}
	b = Grow(b, n)[:length+n]
	for rest := b[length:]; len(rest) > 0; {
		first := min(len(rest), size)
		clearPiece(rest[:first])
		rest = rest[first:]
	}
	return b
}

// move copies from to the equally long to.
func move[T string | []byte](to []byte, from T) {
	for len(from) > 0 {
		n := min(len(from), size)
		movePiece(to[:n], from[:n])
		to, from = to[n:], from[n:]
	}
}

// movePiece copies a piece. The runtime stops a goroutine where a function begins, so the compiler must not
// move this code to its caller.
//
//go:noinline
func movePiece[T string | []byte](to []byte, from T) { copy(to, from) }

// copyPiece is movePiece for elements of any type.
//
//go:noinline
func copyPiece[E any](to, from []E) { copy(to, from) }

// clearPiece sets a piece to zero.
//
//go:noinline
func clearPiece(b []byte) { clear(b) }
