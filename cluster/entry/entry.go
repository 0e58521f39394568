package entry

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

const (
	// version is the version of the format.
	version = 1
	// HeaderSize is the number of bytes before the body.
	HeaderSize = 32
	// maxSize is the largest size of an entry in bytes, with its header. The largest request of a client
	// makes a smaller entry.
	maxSize = 1 << 30
	// MostAtOnce is how many entries one message between nodes may have.
	MostAtOnce = 64
)

// Kind says what an entry does.
type Kind uint8

// The kinds of entries.
const (
	Effects     Kind = iota + 1 // changes keys: the body is an aof.Body of whole transactions
	EpochBegins                 // begins the epoch of a new leader: the body is an Epoch
	Tick                        // moves the cluster time, and has no body
	NodeKnown                   // announces a node: the body is a Node
	NodeGone                    // marks a node as removed: the body is its id
	LevelRaised                 // raises the feature level of the cluster: the body is the level
)

// Entry is a decoded entry.
type Entry struct {
	Kind  Kind
	Term  uint64 // in which the entry was proposed
	Batch uint64 // the number that the proposer gave the entry; the next entry of the term has the next one
	Time  int64  // cluster time in Unix nanoseconds
	Body  []byte
}

// The offsets of the header's fields, as doc.go lists them.
const (
	kindOffset     = 1
	flagsOffset    = 2
	checksumOffset = 4
	termOffset     = 8
	batchOffset    = 16
	timeOffset     = 24
)

// AppendHeader appends an empty header. The caller appends the body, and then calls [Finish].
func AppendHeader(dst []byte) []byte {
	var header [HeaderSize]byte
	return append(dst, header[:]...)
}

// Finish fills in the header of `entry`, which has a header and a body, from the other fields of e.
func Finish(entry []byte, e Entry) error {
	if err := checkKindAndSize(entry, e.Kind); err != nil {
		return err
	}
	entry[0], entry[kindOffset] = version, byte(e.Kind)
	binary.LittleEndian.PutUint16(entry[flagsOffset:], 0)
	binary.LittleEndian.PutUint64(entry[termOffset:], e.Term)
	binary.LittleEndian.PutUint64(entry[batchOffset:], e.Batch)
	binary.LittleEndian.PutUint64(entry[timeOffset:], uint64(e.Time))
	binary.LittleEndian.PutUint32(entry[checksumOffset:], checksum(entry))
	return nil
}

// Parse decodes an entry. The Body is a part of data.
func Parse(data []byte) (Entry, error) {
	if len(data) < HeaderSize {
		return Entry{}, fmt.Errorf("the entry has %d bytes, and an entry has at least %d: a part of it is lost", len(data), HeaderSize)
	}
	e := Entry{
		Kind:  Kind(data[kindOffset]),
		Term:  binary.LittleEndian.Uint64(data[termOffset:]),
		Batch: binary.LittleEndian.Uint64(data[batchOffset:]),
		Time:  int64(binary.LittleEndian.Uint64(data[timeOffset:])),
		Body:  data[HeaderSize:],
	}
	if stored := data[0]; stored != version {
		return Entry{}, fmt.Errorf("the entry has version %d, and this server knows version %d only: "+
			"install the newer release of the server", stored, version)
	}
	if stored, actual := binary.LittleEndian.Uint32(data[checksumOffset:]), checksum(data); stored != actual {
		return Entry{}, fmt.Errorf("the entry is damaged: its checksum is %08x, and its bytes have the checksum %08x", stored, actual)
	}
	if flags := binary.LittleEndian.Uint16(data[flagsOffset:]); flags != 0 {
		return Entry{}, fmt.Errorf("the entry has flags %#04x, and this server knows no flags: install the newer release of the server", flags)
	}
	if err := checkKindAndSize(data, e.Kind); err != nil {
		return Entry{}, err
	}
	return e, nil
}

// checkKindAndSize returns an error if a kind is not known, or if an entry of this kind cannot have its size.
func checkKindAndSize(entry []byte, k Kind) error {
	switch {
	case k < Effects || k > LevelRaised:
		return fmt.Errorf("the entry has kind %d, and this server knows kinds %d to %d: install the newer release of the server", k, Effects, LevelRaised)
	case len(entry) < HeaderSize || len(entry) > maxSize:
		return fmt.Errorf("the entry has %d bytes, and an entry has %d to %d bytes",
			len(entry), HeaderSize, maxSize)
	case k == Tick && len(entry) > HeaderSize:
		return fmt.Errorf("the entry is a tick with a body of %d bytes, and a tick has no body",
			len(entry)-HeaderSize)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of an entry: of all bytes but the checksum itself.
func checksum(entry []byte) uint32 {
	return crc32.Update(crc32.Checksum(entry[:checksumOffset], castagnoli), castagnoli, entry[termOffset:])
}
