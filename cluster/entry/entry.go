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
	// fits in.
	maxSize = 1 << 30
	// MostAtOnce is how many entries one message between nodes may have.
	MostAtOnce = 64
)

// Kind says what an entry does.
type Kind uint8

// The kinds of entries.
const (
	Effects     Kind = iota + 1 // changes keys: the body is that of package aof, whole transactions, database 0 first
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
	Batch uint64 // the proposer's number of the entry
	Time  int64  // cluster time in Unix nanoseconds
	Body  []byte
}

// The offsets of the header's fields.
const (
	atKind  = 1
	atFlags = 2
	atSum   = 4
	atTerm  = 8
	atBatch = 16
	atTime  = 24
)

// AppendHeader appends an empty header. The caller appends the body, and then calls [Finish].
func AppendHeader(dst []byte) []byte {
	var header [HeaderSize]byte
	return append(dst, header[:]...)
}

// Finish fills in the header of an entry that consists of a header and a body. It ignores the Body of e.
func Finish(entry []byte, e Entry) error {
	if err := check(entry, e.Kind); err != nil {
		return err
	}
	entry[0], entry[atKind] = version, byte(e.Kind)
	binary.LittleEndian.PutUint16(entry[atFlags:], 0)
	binary.LittleEndian.PutUint64(entry[atTerm:], e.Term)
	binary.LittleEndian.PutUint64(entry[atBatch:], e.Batch)
	binary.LittleEndian.PutUint64(entry[atTime:], uint64(e.Time))
	binary.LittleEndian.PutUint32(entry[atSum:], sum(entry))
	return nil
}

// Parse decodes an entry. The Body is a part of data.
func Parse(data []byte) (Entry, error) {
	if len(data) < HeaderSize {
		return Entry{}, fmt.Errorf("the entry has %d bytes, and an entry has at least %d: a part of it is lost", len(data), HeaderSize)
	}
	e := Entry{
		Kind:  Kind(data[atKind]),
		Term:  binary.LittleEndian.Uint64(data[atTerm:]),
		Batch: binary.LittleEndian.Uint64(data[atBatch:]),
		Time:  int64(binary.LittleEndian.Uint64(data[atTime:])),
		Body:  data[HeaderSize:],
	}
	if stored := data[0]; stored != version {
		return Entry{}, fmt.Errorf("the entry has version %d, and this server knows version %d only: "+
			"install the newer release of the server", stored, version)
	}
	if stored, actual := binary.LittleEndian.Uint32(data[atSum:]), sum(data); stored != actual {
		return Entry{}, fmt.Errorf("the entry is damaged: its checksum is %08x, and its bytes have the checksum %08x", stored, actual)
	}
	if flags := binary.LittleEndian.Uint16(data[atFlags:]); flags != 0 {
		return Entry{}, fmt.Errorf("the entry has flags %#04x, and this server knows no flags: install the newer release of the server", flags)
	}
	if err := check(data, e.Kind); err != nil {
		return Entry{}, err
	}
	return e, nil
}

// check returns an error if a kind is not known, or if an entry of this kind cannot have the size.
func check(entry []byte, k Kind) error {
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

// sum returns the checksum of an entry: of all bytes but the checksum itself.
func sum(entry []byte) uint32 {
	return crc32.Update(crc32.Checksum(entry[:atSum], castagnoli), castagnoli, entry[atTerm:])
}
