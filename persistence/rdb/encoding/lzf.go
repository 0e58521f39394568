package encoding

// lzfMaxExpansion is the most bytes that LZF makes of one byte: 264 of 3.
const lzfMaxExpansion = 88

// expandLZF appends to dst, which is empty, the n bytes that LZF compressed to p. It reports whether p is
// valid.
//
// A control byte below 32 is followed by literal bytes, one more than its value. Any other control byte is a
// repetition. Its upper three bits are the length less 2; if they are 7, the next byte is added to the
// length. Its lower five bits and the next byte are the distance less 1.
func expandLZF(dst, p []byte, n int) ([]byte, bool) {
	if cap(dst) < n {
		dst = make([]byte, 0, n)
	}
	for len(p) > 0 {
		control := int(p[0])
		p = p[1:]
		if run := control + 1; control < 32 {
			if run > len(p) || len(dst)+run > n {
				return nil, false
			}
			dst, p = append(dst, p[:run]...), p[run:]
			continue
		}
		run := control>>5 + 2
		if control>>5 == 7 && len(p) > 0 {
			run += int(p[0])
			p = p[1:]
		}
		if len(p) == 0 {
			return nil, false
		}
		from := len(dst) - (control&31)<<8 - int(p[0]) - 1
		p = p[1:]
		if from < 0 || len(dst)+run > n {
			return nil, false
		}
		for ; run > 0; run-- { // one byte at a time: the source and the copy may overlap
			dst = append(dst, dst[from])
			from++
		}
	}
	return dst, len(dst) == n
}
