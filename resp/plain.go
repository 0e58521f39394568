package resp

import "encoding/binary"

// maxPlain is how many arguments a plain command has at most.
const maxPlain = 9

// plain reads the command at the start of b, if it is like nearly all: up to nine arguments of up to
// 999 bytes, come whole. It appends the arguments, which alias b, and returns the command's size in
// bytes; 0 says that parser has to look, be it because the rest is still to come or to find an error.
// It accepts nothing that parser would not, and reads it the same: like Redis's, it does not look at
// what stands where a line feed, or the end of an argument's line, is expected.
func plain(b []byte, args [][]byte) ([][]byte, int) {
	if len(b) < 4 || b[0] != '*' || b[1]-'1' >= maxPlain || b[2] != '\r' {
		return args, 0
	}
	if cap(args) < maxPlain {
		args = make([][]byte, maxPlain)
	}
	args = args[:b[1]-'0']
	pos := 4
	for i := range args {
		if len(b)-pos < len("$0\r\n\r\n") {
			return args[:0], 0
		}
		head := binary.LittleEndian.Uint32(b[pos:])
		first, second := byte(head>>8)-'0', byte(head>>16)-'0'
		var size int
		switch {
		case head&0xff00ff == '$'|'\r'<<16 && first <= 9:
			size = int(first)
			pos += len("$0\r\n")
		case head&0xff0000ff == '$'|'\r'<<24 && first-1 <= 8 && second <= 9:
			size = 10*int(first) + int(second)
			pos += len("$00\r\n")
		case head&0xff != '$':
			return args[:0], 0
		default:
			if size = plainHundreds(b[pos:]); size < 0 {
				return args[:0], 0
			}
			pos += len("$000\r\n")
		}
		end := pos + size
		if end+2 > len(b) {
			return args[:0], 0
		}
		args[i] = b[pos:end:end]
		pos = end + 2
	}
	return args, pos
}

// plainHundreds reads a size of three digits that begins at b[1]; it is -1 when there is none.
// As a part of plain it would make that read byte by byte what it reads in one.
//
//go:noinline
func plainHundreds(b []byte) int {
	hundred, ten, one := b[1]-'1', b[2]-'0', b[3]-'0'
	if hundred > 8 || ten > 9 || one > 9 || b[4] != '\r' {
		return -1
	}
	return 100*int(hundred+1) + 10*int(ten) + int(one)
}
