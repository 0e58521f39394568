package aof

import (
	"errors"
	"strconv"

	"cellserver/persistence/rdb"
)

// A batch is what one write put into a file: its header and whole transactions. The header
// is a comment to Redis:
//
//	#CRC:<CRC-64 of the commands, 16 hexadecimal digits>:<their bytes, 10 digits>\r\n
//
// It comes first, so that a reader knows where the batch ends before it believes a byte
// of it, and a batch that was torn off is told from commands that a Redis appended.
const (
	headerMark = "#CRC:"
	headerSize = len(headerMark) + 16 + len(":") + 10 + len("\r\n")
	maxBatch   = 9_999_999_999
)

var errHeader = errors.New("the header of the batch is damaged")

// emptyHeader is the room that a batch has for its header.
var emptyHeader [headerSize]byte

// seal fills in the header of a batch, which begins with the room for it.
func seal(batch []byte) {
	commands := batch[headerSize:]
	b := append(batch[:0], headerMark...)
	b = appendDigits(b, rdb.Checksum(0, commands), 16, 16)
	b = append(b, ':')
	b = appendDigits(b, uint64(len(commands)), 10, 10)
	copy(batch[len(b):], "\r\n")
}

// appendDigits appends a number with leading zeros.
func appendDigits(b []byte, n uint64, base uint64, width int) []byte {
	b = append(b, emptyHeader[:width]...)
	for i := len(b) - 1; i >= len(b)-width; i-- {
		b[i] = "0123456789abcdef"[n%base]
		n /= base
	}
	return b
}

// parseHeader reads the header at the start of b, which has room for one.
func parseHeader(b []byte) (sum uint64, size int, err error) {
	digits := headerMark + string(b[len(headerMark):headerSize])
	sum, badSum := strconv.ParseUint(digits[len(headerMark):len(headerMark)+16], 16, 64)
	length, badSize := strconv.ParseUint(digits[len(headerMark)+17:headerSize-2], 10, 64)
	whole := appendDigits([]byte(headerMark), sum, 16, 16)
	whole = appendDigits(append(whole, ':'), length, 10, 10)
	if badSum != nil || badSize != nil || string(b[:headerSize]) != string(whole)+"\r\n" {
		return 0, 0, errHeader
	}
	return sum, int(length), nil
}
