package crc64

// fold reduces the state and the 16-byte blocks of p to a state with the same checksum. For each block
// it multiplies the halves of the state by the two factors, without carries, and adds the block.
//
//go:noescape
func fold(state *[16]byte, p []byte, factors *[2]uint64)

// hasPCLMULQDQ reports whether the processor has the instruction that fold needs.
func hasPCLMULQDQ() bool

var canFold = hasPCLMULQDQ()
