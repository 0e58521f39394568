package rdb

// fold makes the state, followed by the blocks of 16 bytes that p consists of, into 16 bytes of the
// same checksum: again and again it multiplies the halves of the state by two constants, without
// carries, and adds the next block.
//
//go:noescape
func fold(state *[16]byte, p []byte, by *[2]uint64)

// multiplies reports whether the processor has the instruction that fold needs, PCLMULQDQ.
func multiplies() bool

var canFold = multiplies()
