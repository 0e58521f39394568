package encoding

import (
	"encoding/binary"
	"io"
	"math"
)

// Decoder takes primitives from a stream behind a buffer, or from a slice. It keeps the checksum of
// all bytes that were taken. The argument what of its methods names the primitive in errors.
type Decoder struct {
	in     io.Reader // nil: buf is the whole input
	buf    []byte
	at     int    // index in buf of the next byte
	base   int64  // offset of buf[0] in the input
	crc    uint64 // of everything before buf[summed]
	summed int

	long   []byte // scratch: bytes that do not fit into buf
	plain  []byte // scratch: an expanded string
	digits []byte // scratch: an integer as a string
}

// NewDecoder returns a decoder of a stream. It reads ahead, [ChunkSize] bytes at a time.
func NewDecoder(in io.Reader) Decoder {
	return Decoder{in: in, buf: make([]byte, 0, ChunkSize)}
}

// DecoderOf returns a decoder of a slice.
func DecoderOf(b []byte) Decoder { return Decoder{buf: b} }

// Offset returns how many bytes have been taken.
func (d *Decoder) Offset() int64 { return d.base + int64(d.at) }

// Take returns the next n bytes. They are valid until more is taken.
func (d *Decoder) Take(n uint64, what string) ([]byte, error) {
	if rest := d.buf[d.at:]; n <= uint64(len(rest)) {
		d.at += int(n)
		return rest[:n], nil
	}
	return d.takeMore(n, what)
}

// takeMore returns bytes that are not all in the buffer yet. Its memory grows with the bytes that
// arrive, not with n.
func (d *Decoder) takeMore(n uint64, what string) ([]byte, error) {
	from := d.Offset()
	for n <= uint64(cap(d.buf)) {
		if err := d.fill(); err != nil {
			return nil, missing(from, n, len(d.buf)-d.at, what, err)
		}
		if n <= uint64(len(d.buf)-d.at) {
			return d.Take(n, what)
		}
	}
	d.long = d.long[:0]
	for uint64(len(d.long)) < n {
		if d.at == len(d.buf) {
			if err := d.fill(); err != nil {
				return nil, missing(from, n, len(d.long), what, err)
			}
		}
		part := d.buf[d.at:]
		part = part[:min(uint64(len(part)), n-uint64(len(d.long)))]
		d.long = append(d.long, part...)
		d.at += len(part)
	}
	return d.long, nil
}

// fill reads more, behind the bytes that have not been taken yet.
func (d *Decoder) fill() error {
	if d.in == nil {
		return io.EOF
	}
	d.Sum()
	d.base += int64(d.at)
	rest := copy(d.buf, d.buf[d.at:])
	d.at, d.summed = 0, 0
	n, err := io.ReadAtLeast(d.in, d.buf[rest:cap(d.buf)], 1)
	d.buf = d.buf[:rest+n]
	if n > 0 {
		return nil
	}
	return err
}

// Sum returns the checksum of all bytes that have been taken.
func (d *Decoder) Sum() uint64 {
	d.crc = Checksum(d.crc, d.buf[d.summed:d.at])
	d.summed = d.at
	return d.crc
}

// Byte returns the next byte.
func (d *Decoder) Byte(what string) (byte, error) {
	if d.at < len(d.buf) {
		d.at++
		return d.buf[d.at-1], nil
	}
	return d.byteMore(what)
}

// byteMore returns the next byte, which is not in the buffer yet.
func (d *Decoder) byteMore(what string) (byte, error) {
	b, err := d.takeMore(1, what)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// Double returns the next 8 bytes as a little-endian IEEE 754 number. NaN is an error.
func (d *Decoder) Double(what string) (float64, error) {
	from := d.Offset()
	b, err := d.Take(8, what)
	if err != nil {
		return 0, err
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(f) {
		return 0, Errorf(from, what, "NaN")
	}
	return f, nil
}
