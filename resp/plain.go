package resp

import "encoding/binary"

// maxPlain is the largest number of arguments of a plain command.
const maxPlain = 9

// plain reads a plain command at the start of b: complete, with one to nine arguments of up to 999 bytes. It
// appends the arguments, which alias b, and returns the command's size in bytes. Size 0 means that b does
// not start with a plain command. Then the parser reads b, or finds the error.
//
// It exists for speed alone.
//
// What it is: one pass over a command that is there as a whole. Nearly every command is plain.
//
// What it brings: the parser can stop at every byte, so it takes about twice as long for a plain command.
// Compare
//
//	go test -run '^$' -bench 'BenchmarkPlain|BenchmarkParse$' ./resp
//
// What it must never do: accept a request that the parser refuses, or read one in another way (FuzzPlain).
// Like the parser, it does not check the bytes at the place of a line feed, or after an argument.
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

// plainHundreds reads a size of three digits that begins at b[1], or returns -1. If it is inlined into
// plain, the compiler reads the header there byte by byte instead of at once.
//
//go:noinline
func plainHundreds(b []byte) int {
	hundred, ten, one := b[1]-'1', b[2]-'0', b[3]-'0'
	if hundred > 8 || ten > 9 || one > 9 || b[4] != '\r' {
		return -1
	}
	return 100*int(hundred+1) + 10*int(ten) + int(one)
}
