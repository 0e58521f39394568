package resp

// plain reads the command at the start of b, if it is like nearly all: up to nine arguments of up to
// 999 bytes, come whole. It appends the arguments, which alias b, and returns the command's size in
// bytes; 0 says that parser has to look, be it because the rest is still to come or to find an error.
// It accepts nothing that parser would not, and reads it the same.
func plain(b []byte, args [][]byte) ([][]byte, int) {
	if len(b) < 4 || b[0] != '*' || b[1]-'1' > 8 || b[2] != '\r' {
		return args, 0
	}
	pos := 4
	for n := b[1] - '0'; n > 0; n-- {
		if pos+5 > len(b) || b[pos] != '$' {
			return args, 0
		}
		size := int(b[pos+1] - '0')
		pos += 2
		switch {
		case size > 9:
			return args, 0
		case b[pos] == '\r':
		case size == 0:
			return args, 0
		default:
			if size, pos = plainSize(b, size, pos); size < 0 {
				return args, 0
			}
		}
		pos += 2
		end := pos + size
		if end+2 > len(b) {
			return args, 0
		}
		args = append(args, b[pos:end:end])
		pos = end + 2
	}
	return args, pos
}

// plainSize goes on reading a size of two or three digits, of which the first is read, to its CR; it
// returns -1 when it is not like that. There are at least three bytes of b from pos on.
func plainSize(b []byte, size, pos int) (int, int) {
	for range 2 {
		digit := b[pos] - '0'
		if digit > 9 {
			break
		}
		size = size*10 + int(digit)
		pos++
	}
	if b[pos] != '\r' {
		return -1, pos
	}
	return size, pos
}
