package format

import (
	"encoding/binary"
	"errors"

	"cellserver/internal/decimal"
	"cellserver/internal/pieces"
)

// Errors of [ParseCommand] and [ParseComment].
var (
	ErrIncomplete = errors.New("the command is cut off")
	ErrNoCommand  = errors.New("no command begins here")
)

// The limits of a command: Redis's number of arguments, and a size that no server accepts.
const (
	maxArguments    = 1 << 20
	maxArgumentSize = 1 << 40
)

// ParseCommand reads the command at the start of b into args. The arguments are slices of b. It
// returns how many bytes the command takes. Its error is [ErrIncomplete] if b ends too early, and
// [ErrNoCommand] if b holds something else. Programs write logs, so ParseCommand accepts only
// what programs write.
func ParseCommand(b []byte, args [][]byte) (_ [][]byte, size int, _ error) {
	args = args[:0]
	n, at, err := parseNumberLine(b, 0, '*', maxArguments)
	if err != nil {
		return args, 0, err
	}
	if n == 0 {
		return args, 0, ErrNoCommand
	}
	for range n {
		length, size := 0, 0
		if at+5 <= len(b) && b[at] == '$' {
			length, size = twoDigitLine(binary.LittleEndian.Uint32(b[at+1:]))
		}
		from := at + 1 + size
		if size == 0 {
			if length, from, err = parseNumberLine(b, at, '$', maxArgumentSize); err != nil {
				return args, 0, err
			}
		}
		end := from + length
		if end+2 > len(b) {
			return args, 0, ErrIncomplete
		}
		if b[end] != '\r' || b[end+1] != '\n' {
			return args, 0, ErrNoCommand
		}
		args = append(args, b[from:end:end])
		at = end + 2
	}
	return args, at, nil
}

// ParseComment returns the size of the comment at the start of b: a line of printable characters that begins
// with #. A torn tail may begin with # too, but its other bytes are rarely printable. Errors are those of
// [ParseCommand].
func ParseComment(b []byte) (size int, _ error) {
	const maxLine = 128 // the longest line that Redis reads
	for i, c := range b[:min(len(b), maxLine)] {
		switch {
		case c == '\n':
			return i + 1, nil
		case (c < ' ' || c > '~') && c != '\r':
			return 0, ErrNoCommand
		}
	}
	if len(b) >= maxLine {
		return 0, ErrNoCommand
	}
	return 0, ErrIncomplete
}

// twoDigitLine reads a number of one or two digits, CR and LF from four bytes; the lowest byte is the first.
// size is 0 for all other bytes: then parseNumberLine reads them. Nearly all arguments have such a length,
// so it is the fast path. Its result must be that of parseNumberLine.
func twoDigitLine(line uint32) (n, size int) {
	const crlf = '\r' | '\n'<<8
	first, second := line&0xff-'0', line>>8&0xff-'0'
	switch {
	case first > 9:
	case line>>8&0xffff == crlf:
		return int(first), 3
	case line>>16 == crlf && second <= 9:
		return int(first*10 + second), 4
	}
	return 0, 0
}

// parseNumberLine reads a line: the byte kind, a number from 0 to limit, CR and LF.
func parseNumberLine(b []byte, at int, kind byte, limit int) (n, next int, _ error) {
	if at >= len(b) {
		return 0, 0, ErrIncomplete
	}
	if b[at] != kind {
		return 0, 0, ErrNoCommand
	}
	from := at + 1
	for at = from; at < len(b) && '0' <= b[at] && b[at] <= '9'; at++ {
		if n = n*10 + int(b[at]-'0'); n > limit {
			return 0, 0, ErrNoCommand
		}
	}
	switch {
	case at+1 < len(b) && b[at] == '\r' && b[at+1] == '\n' && at > from:
		return n, at + 2, nil
	case at == len(b), at+1 == len(b) && b[at] == '\r' && at > from:
		return 0, 0, ErrIncomplete
	}
	return 0, 0, ErrNoCommand
}

// EqualWord reports whether an argument is a word in any case. word is in capitals.
func EqualWord(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i, c := range arg {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// AppendBulk appends an argument of a command. Nearly all lengths have up to three digits: these have a way
// of their own for speed alone (go test -bench Encode ./persistence/aof).
func AppendBulk(b, s []byte) []byte {
	switch n := len(s); {
	case n < 10:
		b = append(b, '$', '0'+byte(n), '\r', '\n')
	case n < 100:
		b = append(b, '$', '0'+byte(n/10), '0'+byte(n%10), '\r', '\n')
	case n < 1000:
		b = append(b, '$', '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10), '\r', '\n')
	default:
		b = append(decimal.Append(append(b, '$'), int64(n)), '\r', '\n')
		if n > longArg {
			return append(pieces.Append(b, s), '\r', '\n')
		}
	}
	return append(append(b, s...), '\r', '\n')
}

// longArg is the length in bytes from which an argument is copied in pieces.
const longArg = 64 << 10

// AppendInt appends an integer as an argument of a command.
func AppendInt(b []byte, n int64) []byte {
	var digits [20]byte
	return AppendBulk(b, decimal.Append(digits[:0], n))
}
