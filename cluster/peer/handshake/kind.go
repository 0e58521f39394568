package handshake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// Kind is the purpose of a connection.
type Kind byte

// The kinds of connections.
const (
	Raft    Kind = 'R' // messages of Raft
	Entries Kind = 'E' // entries of Raft's log
	Forward Kind = 'F' // the bytes of one client
	Call    Kind = 'C' // requests and their answers, and published messages
)

// Kinds lists all kinds.
var Kinds = [...]Kind{Raft, Entries, Forward, Call}

// String names the kind in sentences.
func (k Kind) String() string {
	switch k {
	case Raft:
		return "Raft"
	case Entries:
		return "entries"
	case Forward:
		return "forward"
	case Call:
		return "call"
	}
	return "unknown"
}

// Preface says for which purpose the dialer opens a connection.
type Preface struct {
	Kind    Kind
	Group   uint16   // of Raft and Entries; otherwise 0
	Cluster [20]byte // of the dialer; 0 if it does not know it yet
}

// version is the version of this protocol. A node refuses every other one.
const version = 1

// The parts of a preface on the wire.
const (
	nonceSize   = 32
	prefaceSize = len(magic) + 5 + 20 + nonceSize
	magic       = "cell"
	hasSecret   = 1 // a flag: the dialer has a secret
)

// wired is a preface on the wire.
type wired [prefaceSize]byte

// errMagic means that the other end does not speak this protocol.
var errMagic = errors.New("the other end is not a node of a cluster: compare tls-cluster on both nodes, and the port")

func (p Preface) wire(flags byte, nonce [nonceSize]byte) (w wired) {
	b := append(w[:0], magic...)
	b = append(b, version, byte(p.Kind))
	b = binary.LittleEndian.AppendUint16(b, p.Group)
	b = append(b, flags)
	b = append(b, p.Cluster[:]...)
	copy(w[len(b):], nonce[:])
	return w
}

// parse reads a preface from the wire. The refusal says what is wrong with the protocol or the kind.
func (w *wired) parse() (p Preface, flags byte, refusal Refusal, err error) {
	b, ok := bytes.CutPrefix(w[:], []byte(magic))
	if !ok {
		return p, 0, 0, errMagic
	}
	p.Kind, p.Group, flags = Kind(b[1]), binary.LittleEndian.Uint16(b[2:]), b[4]
	copy(p.Cluster[:], b[5:])
	switch {
	case b[0] != version:
		refusal = OtherVersion
	case !slices.Contains(Kinds[:], p.Kind):
		refusal = UnknownKind
	}
	return p, flags, refusal, nil
}
