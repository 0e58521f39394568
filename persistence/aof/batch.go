package aof

import (
	"errors"
	"hash/crc32"
)

// A batch is what one write put into a file: its header and whole transactions. The header
// is a comment to Redis:
//
//	#CRC:<CRC-32C of the commands, 8 hexadecimal digits>:<their bytes, 10 digits>\r\n
//
// Processors compute that checksum themselves: any other would cost as much as all the rest.
// It comes first, so that a reader knows where the batch ends before it believes a byte
// of it, and a batch that was torn off is told from commands that a Redis appended.
const (
	headerMark = "#CRC:"
	headerSize = len(headerMark) + sumDigits + len(":") + 10 + len("\r\n")
	sumDigits  = 8
)

var errHeader = errors.New("the header of the batch is damaged")

// emptyHeader is the room that a batch has for its header.
var emptyHeader [headerSize]byte

// seal fills in the header of a batch, which begins with the room for it.
func seal(batch []byte) {
	commands := batch[headerSize:]
	b := append(batch[:0], headerMark...)
	b = appendDigits(b, uint64(checksum(commands)), 16, sumDigits)
	b = append(b, ':')
	b = appendDigits(b, uint64(len(commands)), 10, 10)
	copy(batch[len(b):], "\r\n")
}

// sealed reports whether a header fits the whole rest of b, at whose start it stands.
func sealed(b []byte) bool {
	if len(b) < headerSize {
		return false
	}
	sum, size, err := parseHeader(b)
	return err == nil && size == len(b)-headerSize && sum == checksum(b[headerSize:])
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
func parseHeader(b []byte) (sum uint32, size int, err error) {
	at := len(headerMark)
	n, ok := parseDigits(b[at:at+sumDigits], 16)
	at += sumDigits
	length, okToo := parseDigits(b[at+1:headerSize-2], 10)
	if !ok || !okToo || string(b[:len(headerMark)]) != headerMark || b[at] != ':' || string(b[headerSize-2:headerSize]) != "\r\n" {
		return 0, 0, errHeader
	}
	return uint32(n), int(length), nil
}

// parseDigits reads what appendDigits writes.
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

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
