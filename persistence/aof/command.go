package aof

import (
	"encoding/binary"
	"errors"
)

// What can be wrong with a command.
var (
	errCut     = errors.New("the command is cut off")
	errCommand = errors.New("no command begins here")
)

// maxArguments bounds what a command is believed to have, as in Redis.
const maxArguments = 1 << 20

// parseCommand reads the command at the start of b into args, whose slices are b's own,
// and says how many bytes it takes. Its error is errCut where b ends too early, and
// errCommand where b holds something else. A log is written by programs: nothing is
// accepted but what they write.
func parseCommand(b []byte, args [][]byte) (_ [][]byte, size int, _ error) {
	args = args[:0]
	n, at, err := parseCount(b, 0, '*', maxArguments)
	if err != nil {
		return args, 0, err
	}
	if n == 0 {
		return args, 0, errCommand
	}
	for range n {
		length, size := 0, 0
		if at+5 <= len(b) && b[at] == '$' {
			length, size = shortCount(binary.LittleEndian.Uint32(b[at+1:]))
		}
		from := at + 1 + size
		if size == 0 {
			if length, from, err = parseCount(b, at, '$', maxArgument); err != nil {
				return args, 0, err
			}
		}
		end := from + length
		if end+2 > len(b) {
			return args, 0, errCut
		}
		if b[end] != '\r' || b[end+1] != '\n' {
			return args, 0, errCommand
		}
		args = append(args, b[from:end:end])
		at = end + 2
	}
	return args, at, nil
}

// parseComment returns the size of the comment at the start of b, a line that begins with #
// and that one can read: what a crash leaves may begin with one, too. Errors are as for
// parseCommand.
func parseComment(b []byte) (size int, _ error) {
	const longest = 128 // of what Redis reads
	for i, c := range b[:min(len(b), longest)] {
		switch {
		case c == '\n':
			return i + 1, nil
		case (c < ' ' || c > '~') && c != '\r':
			return 0, errCommand
		}
	}
	if len(b) >= longest {
		return 0, errCommand
	}
	return 0, errCut
}

// maxArgument bounds what an argument is believed to be long: no server takes longer ones.
const maxArgument = 1 << 40

// shortCount reads a number of one digit or two, CR and LF, of four bytes, of which the first is
// the lowest. Its size is 0 where they are anything else.
func shortCount(line uint32) (n, size int) {
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

// parseCount reads a line of a kind: a byte, a number from 0 to most, CR and LF.
func parseCount(b []byte, at int, kind byte, most int) (n, next int, _ error) {
	if at >= len(b) {
		return 0, 0, errCut
	}
	if b[at] != kind {
		return 0, 0, errCommand
	}
	from := at + 1
	for at = from; at < len(b) && '0' <= b[at] && b[at] <= '9'; at++ {
		if n = n*10 + int(b[at]-'0'); n > most {
			return 0, 0, errCommand
		}
	}
	switch {
	case at+1 < len(b) && b[at] == '\r' && b[at+1] == '\n' && at > from:
		return n, at + 2, nil
	case at == len(b), at+1 == len(b) && b[at] == '\r' && at > from:
		return 0, 0, errCut
	}
	return 0, 0, errCommand
}

// is reports whether an argument is a word, in whatever case; word is in capitals.
func is(arg []byte, word string) bool {
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
