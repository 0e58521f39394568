package encoding

import (
	"encoding/binary"

	"cellserver/internal/decimal"
)

// prefix reads the beginning of a string: its length or, if special is true, its encoding.
func (d *Decoder) prefix(what string) (n uint64, special bool, err error) {
	from := d.Offset()
	first, err := d.Byte(what)
	if err != nil {
		return 0, false, err
	}
	switch {
	case first&lenMask == len6:
		return uint64(first &^ lenMask), false, nil
	case first&lenMask == len14:
		low, err := d.Byte(what)
		return uint64(first&^lenMask)<<8 | uint64(low), false, err
	case first&lenMask == lenSpecial:
		return uint64(first &^ lenMask), true, nil
	case first == len32:
		b, err := d.Take(4, what)
		if err != nil {
			return 0, false, err
		}
		return uint64(binary.BigEndian.Uint32(b)), false, nil
	case first == len64:
		b, err := d.Take(8, what)
		if err != nil {
			return 0, false, err
		}
		return binary.BigEndian.Uint64(b), false, nil
	}
	return 0, false, Errorf(from, what, "byte 0x%02x, which begins no length", first)
}

// Length reads a length, a count or another number that is written as a length.
func (d *Decoder) Length(what string) (uint64, error) {
	from := d.Offset()
	n, special, err := d.prefix(what)
	if err == nil && special {
		return 0, Errorf(from, what, "the encoding %d of a string", n)
	}
	return n, err
}

// Lengths reads n lengths and drops them.
func (d *Decoder) Lengths(n int, what string) error {
	for range n {
		if _, err := d.Length(what); err != nil {
			return err
		}
	}
	return nil
}

// shortLength reads the length of a string if the length is one byte in the buffer. Nearly all lengths are.
func (d *Decoder) shortLength() (n uint64, ok bool) {
	if d.at == len(d.buf) || d.buf[d.at]&lenMask != len6 {
		return 0, false
	}
	d.at++
	return uint64(d.buf[d.at-1]), true
}

// Text reads a string. It is valid until more is read.
func (d *Decoder) Text(what string) ([]byte, error) {
	if n, ok := d.shortLength(); ok {
		return d.Take(n, what)
	}
	from := d.Offset()
	n, special, err := d.prefix(what)
	switch {
	case err != nil:
		return nil, err
	case !special:
		return d.Take(n, what)
	case n == encLZF:
		return d.compressed(what)
	case n > encLZF:
		return nil, Errorf(from, what, "the unknown encoding %d", n)
	}
	b, err := d.Take(1<<n, what)
	if err != nil {
		return nil, err
	}
	d.digits = decimal.Append(d.digits[:0], SignedInt(b))
	return d.digits, nil
}

// SignedInt returns the signed little-endian integer of 1 to 8 bytes.
func SignedInt(b []byte) int64 {
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	unused := 64 - 8*len(b)
	return int64(n<<unused) >> unused
}

// compressed reads a string that is compressed with LZF.
func (d *Decoder) compressed(what string) ([]byte, error) {
	size, err := d.Length("the length of a compressed string")
	if err != nil {
		return nil, err
	}
	plain, err := d.Length("the length of an expanded string")
	if err != nil {
		return nil, err
	}
	from := d.Offset()
	b, err := d.Take(size, what)
	if err != nil {
		return nil, err
	}
	if plain/lzfMaxExpansion > size {
		return nil, Errorf(from, what, "%d compressed bytes, which cannot become %d", size, plain)
	}
	out, ok := expandLZF(d.plain[:0], b, int(plain))
	if !ok {
		return nil, Errorf(from, what, "bytes that LZF does not expand to %d", plain)
	}
	d.plain = out
	return out, nil
}
