package rdb

import (
	"encoding/binary"

	"cellserver/internal/decimal"
)

// prefix reads what begins a string: its length, or with special the encoding it has.
func (s *source) prefix(what string) (n uint64, special bool, err error) {
	from := s.offset()
	first, err := s.byte(what)
	if err != nil {
		return 0, false, err
	}
	switch {
	case first&lenMask == len6:
		return uint64(first &^ lenMask), false, nil
	case first&lenMask == len14:
		low, err := s.byte(what)
		return uint64(first&^lenMask)<<8 | uint64(low), false, err
	case first&lenMask == lenSpecial:
		return uint64(first &^ lenMask), true, nil
	case first == len32:
		b, err := s.take(4, what)
		if err != nil {
			return 0, false, err
		}
		return uint64(binary.BigEndian.Uint32(b)), false, nil
	case first == len64:
		b, err := s.take(8, what)
		if err != nil {
			return 0, false, err
		}
		return binary.BigEndian.Uint64(b), false, nil
	}
	return 0, false, fault(from, what, "byte 0x%02x, which begins none", first)
}

// length reads a length, a count or another number that is written as one.
func (s *source) length(what string) (uint64, error) {
	from := s.offset()
	n, special, err := s.prefix(what)
	if err == nil && special {
		return 0, fault(from, what, "the encoding %d of a string", n)
	}
	return n, err
}

// short reads the length of a string where that is one byte, as nearly always, and in the buffer.
func (s *source) short() (n uint64, ok bool) {
	if s.at == len(s.buf) || s.buf[s.at]&lenMask != len6 {
		return 0, false
	}
	s.at++
	return uint64(s.buf[s.at-1]), true
}

// text reads a string. It holds until more is read.
func (s *source) text(what string) ([]byte, error) {
	if n, ok := s.short(); ok {
		return s.take(n, what)
	}
	from := s.offset()
	n, special, err := s.prefix(what)
	switch {
	case err != nil:
		return nil, err
	case !special:
		return s.take(n, what)
	case n == encLZF:
		return s.compressed(what)
	case n > encLZF:
		return nil, fault(from, what, "the encoding %d, which is none", n)
	}
	b, err := s.take(1<<n, what)
	if err != nil {
		return nil, err
	}
	s.digits = decimal.Append(s.digits[:0], littleEndian(b))
	return s.digits, nil
}

// littleEndian is the signed integer of 1 to 8 bytes.
func littleEndian(b []byte) int64 {
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	unused := 64 - 8*len(b)
	return int64(n<<unused) >> unused
}

// compressed reads a string that is LZF-compressed.
func (s *source) compressed(what string) ([]byte, error) {
	packed, err := s.length("a compressed string's length")
	if err != nil {
		return nil, err
	}
	plain, err := s.length("the length of a string before it was compressed")
	if err != nil {
		return nil, err
	}
	from := s.offset()
	b, err := s.take(packed, what)
	if err != nil {
		return nil, err
	}
	if plain/lzfMostExpansion > packed {
		return nil, fault(from, what, "%d compressed bytes, which cannot be %d", packed, plain)
	}
	out, ok := decompress(s.plain[:0], b, int(plain))
	if !ok {
		return nil, fault(from, what, "bytes that LZF does not expand to %d", plain)
	}
	s.plain = out
	return out, nil
}

// lzfMostExpansion is how many bytes LZF makes of one at most: 264 of 3.
const lzfMostExpansion = 88

// decompress appends to dst, which is empty, the n bytes that LZF made p of, and reports
// whether p is that. A control byte below 32 is followed by that many bytes and one, as
// they are; the upper three bits of any other, and a byte more when they are 7, are the
// length less 2 of a repetition of what lies as far back as the rest of the control byte
// and the next byte say.
func decompress(dst, p []byte, n int) ([]byte, bool) {
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
		for ; run > 0; run-- { // what is repeated may be what is being written
			dst = append(dst, dst[from])
			from++
		}
	}
	return dst, len(dst) == n
}
