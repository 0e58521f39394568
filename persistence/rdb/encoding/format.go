package encoding

// ChunkSize is the number of bytes that an Encoder collects before it writes them, and that a Decoder reads
// at once.
const ChunkSize = 64 << 10

// The beginnings of a length: two bits, or a whole byte.
const (
	len6       = 0x00
	len14      = 0x40
	lenSpecial = 0xC0 // an encoded string; the other six bits name its encoding
	lenMask    = 0xC0
	len32      = 0x80
	len64      = 0x81
)

// The encodings of a string that begins with lenSpecial.
const (
	encInt8  = 0
	encInt16 = 1
	encInt32 = 2
	encLZF   = 3
)
