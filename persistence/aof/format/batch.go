package format

import (
	"errors"
	"hash/crc32"
)

// A batch is the content of one write to a file: a header and whole transactions. Redis skips the header,
// because it is a comment:
//
//	#CRC:<CRC-32C of the commands, 8 hexadecimal digits>:<their size in bytes, 10 digits>\r\n
//
// The checksum is CRC-32C because processors compute it in hardware.
//
// The header comes first. It says where the batch ends before a reader trusts any byte of the batch. So the
// reader can distinguish a torn batch from commands that a Redis appended.
const (
	HeaderMark = "#CRC:"
	// TimeMark begins a comment that has the time of the commands after it, in Unix seconds.
	TimeMark   = "#TS:"
	HeaderSize = len(HeaderMark) + sumDigits + len(":") + sizeDigits + len("\r\n")
	sumDigits  = 8
	sizeDigits = 10
)

var errHeader = errors.New("the header of the batch is damaged")

// setBack is by how many seconds a time must be earlier than the one before it to say that the clock was set
// back. Transactions that began earlier, and other lanes, have times that are a little earlier.
const setBack = 10

// TimeAfter returns the time of a log after a further [TimeMark]: the later time, unless the clock was set back.
func TimeAfter(time, mark int64) int64 {
	if mark < time-setBack {
		return mark
	}
	return max(time, mark)
}

// EmptyHeader is the space for a header at the start of a batch.
var EmptyHeader [HeaderSize]byte

// maxBatch is the largest size in bytes of the commands that a header has room for.
const maxBatch = 9_999_999_999

// ErrTooLarge is the error of a batch whose size has more digits than a header.
var ErrTooLarge = errors.New("the changes of one transaction exceed 10 GB: split the transaction")

// Seal fills in the header of a batch, which begins with the space for it. It changes nothing if the error is
// [ErrTooLarge].
func Seal(batch []byte) error {
	commands := batch[HeaderSize:]
	if err := checkSize(uint64(len(commands))); err != nil {
		return err
	}
	b := append(batch[:0], HeaderMark...)
	b = appendDigits(b, uint64(Checksum(commands)), 16, sumDigits)
	b = append(b, ':')
	b = appendDigits(b, uint64(len(commands)), 10, sizeDigits)
	copy(batch[len(b):], "\r\n")
	return nil
}

func checkSize(commands uint64) error {
	if commands > maxBatch {
		return ErrTooLarge
	}
	return nil
}

// Sealed reports whether b is one whole batch with the right checksum.
func Sealed(b []byte) bool {
	if len(b) < HeaderSize {
		return false
	}
	sum, size, err := ParseHeader(b)
	return err == nil && size == len(b)-HeaderSize && sum == Checksum(b[HeaderSize:])
}

// ParseHeader reads the header at the start of b, which has at least [HeaderSize] bytes. size is that of the
// commands, in bytes.
func ParseHeader(b []byte) (sum uint32, size int, err error) {
	at := len(HeaderMark)
	n, sumOK := parseDigits(b[at:at+sumDigits], 16)
	at += sumDigits
	length, sizeOK := parseDigits(b[at+1:HeaderSize-2], 10)
	if !sumOK || !sizeOK || string(b[:len(HeaderMark)]) != HeaderMark || b[at] != ':' || string(b[HeaderSize-2:HeaderSize]) != "\r\n" {
		return 0, 0, errHeader
	}
	return uint32(n), int(length), nil
}

// appendDigits appends a number with leading zeros.
func appendDigits(b []byte, n uint64, base uint64, width int) []byte {
	b = append(b, EmptyHeader[:width]...)
	for i := len(b) - 1; i >= len(b)-width; i-- {
		b[i] = "0123456789abcdef"[n%base]
		n /= base
	}
	return b
}

// parseDigits reads a number that appendDigits wrote.
func parseDigits(b []byte, base uint64) (n uint64, ok bool) {
	for _, c := range b {
		d := base
		switch {
		case '0' <= c && c <= '9':
			d = uint64(c - '0')
		case c >= 'a':
			d = uint64(c-'a') + 10
		}
		if d >= base {
			return 0, false
		}
		n = n*base + d
	}
	return n, true
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
