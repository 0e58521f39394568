package peer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"cellserver/cluster/entry"

	"github.com/hashicorp/raft"
)

// Integers are little-endian. The numbers are sizes in bytes:
//
//	request  version 1, protocol 1, lengths of id and address 2 × 2, number of entries 2, term 8, index before 8, term before 8,
//	         commit index 8, id, address, entries
//	entry    index 8, term 8, type 1, number of bytes 4, bytes
//	answer   flags 1, term 8, last index 8
const (
	entriesVersion = 1
	requestHead    = 40
	entryHead      = 21
	answerSize     = 17
	// The entries of a request have at most maxBytes bytes together.
	maxBytes = 1 << 30
	// The receiver reads a long entry in parts of maxPart bytes. It allocates memory for at most one part
	// that has not arrived yet.
	maxPart = 1 << 20
	// The sender collects at most maxRoom bytes before it writes them.
	maxRoom = 64 << 10
)

// fault is an error of the bytes of a request.
type fault string

func (f fault) Error() string { return string(f) }

// A request has too many entries, or they have too many bytes.
var errTooLong = faultf("the entries of a request have more than %d bytes", maxBytes)

func tooManyEntries(n int) error {
	return faultf("a request has %d entries, and it may have %d", n, entry.MostAtOnce)
}

func faultf(format string, args ...any) error { return fault(fmt.Sprintf(format, args...)) }

// The flags of an answer.
const (
	succeeded = 1 << iota
	atOnce    // the sender need not wait before it tries again
)

// checkRequest returns an error if the receiver would refuse a request. Then Raft's own transport carries the
// request.
func checkRequest(r *raft.AppendEntriesRequest) error {
	if len(r.Entries) > entry.MostAtOnce {
		return tooManyEntries(len(r.Entries))
	}
	size := 0
	for _, l := range r.Entries {
		size += len(l.Data)
	}
	if size > maxBytes {
		return errTooLong
	}
	return nil
}

// writeRequest writes a request. It uses the memory of buf, and returns that memory for the next request.
func writeRequest(w io.Writer, buf []byte, r *raft.AppendEntriesRequest) ([]byte, error) {
	if err := checkRequest(r); err != nil {
		return buf, err
	}
	b := append(buf[:0], entriesVersion, byte(r.ProtocolVersion))
	for _, n := range [...]int{len(r.ID), len(r.Addr), len(r.Entries)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	for _, n := range [...]uint64{r.Term, r.PrevLogEntry, r.PrevLogTerm, r.LeaderCommitIndex} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(append(b, r.ID...), r.Addr...)
	for _, l := range r.Entries {
		b = binary.LittleEndian.AppendUint64(b, l.Index)
		b = binary.LittleEndian.AppendUint64(b, l.Term)
		b = append(b, byte(l.Type))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(l.Data)))
		if len(b)+len(l.Data) <= maxRoom {
			b = append(b, l.Data...)
			continue
		}
		for _, part := range [...][]byte{b, l.Data} {
			if _, err := w.Write(part); err != nil {
				return b[:0], err
			}
		}
		b = b[:0]
	}
	if len(b) == 0 {
		return b, nil
	}
	_, err := w.Write(b)
	return b[:0], err
}

// readRequest reads a request.
func readRequest(in *bufio.Reader) (*raft.AppendEntriesRequest, error) {
	var head [requestHead]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	if head[0] != entriesVersion {
		return nil, faultf("a request with entries has version %d, and this server knows version %d: run "+
			"the same release on every node", head[0], entriesVersion)
	}
	number := func(offset int) int { return int(binary.LittleEndian.Uint16(head[offset:])) }
	long := func(offset int) uint64 { return binary.LittleEndian.Uint64(head[offset:]) }
	r := &raft.AppendEntriesRequest{Term: long(8), PrevLogEntry: long(16), PrevLogTerm: long(24), LeaderCommitIndex: long(32)}
	id, entries := number(2), number(6)
	names := make([]byte, id+number(4))
	if _, err := io.ReadFull(in, names); err != nil {
		return nil, err
	}
	r.ProtocolVersion = raft.ProtocolVersion(head[1])
	r.ID, r.Addr = names[:id], names[id:]
	if entries > entry.MostAtOnce {
		return nil, tooManyEntries(entries)
	}
	var err error
	r.Entries, err = readEntries(in, entries, maxBytes)
	return r, err
}

// readEntries reads n entries that have at most the given number of bytes together.
func readEntries(in *bufio.Reader, n, most int) ([]*raft.Log, error) {
	logs, entries := make([]raft.Log, n), make([]*raft.Log, n)
	for i := range logs {
		entries[i] = &logs[i]
		if err := readEntry(in, &logs[i], most); err != nil {
			return nil, err
		}
		most -= len(logs[i].Data)
	}
	return entries, nil
}

// readEntry reads an entry that has at most the given number of bytes.
func readEntry(in *bufio.Reader, l *raft.Log, most int) (err error) {
	var head [entryHead]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	size := int(binary.LittleEndian.Uint32(head[17:]))
	if size > most {
		return errTooLong
	}
	l.Index, l.Term = binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	l.Type = raft.LogType(head[16])
	l.Data, err = readData(in, size)
	return err
}

// readData reads the bytes of an entry. Their number is only a claim of the sender, so a long entry is read
// in parts.
func readData(in *bufio.Reader, size int) ([]byte, error) {
	if size <= maxPart {
		data := make([]byte, size)
		_, err := io.ReadFull(in, data)
		return data, err
	}
	var parts [][]byte
	for left := size; left > 0; left -= maxPart {
		part := make([]byte, min(left, maxPart))
		if _, err := io.ReadFull(in, part); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return bytes.Join(parts, nil), nil
}

// appendAnswer appends an answer.
func appendAnswer(b []byte, a *raft.AppendEntriesResponse) []byte {
	flags := byte(0)
	if a.Success {
		flags |= succeeded
	}
	if a.NoRetryBackoff {
		flags |= atOnce
	}
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint64(b, a.Term)
	return binary.LittleEndian.AppendUint64(b, a.LastLog)
}

// readAnswer reads an answer.
func readAnswer(in io.Reader) (a raft.AppendEntriesResponse, err error) {
	var b [answerSize]byte
	if _, err = io.ReadFull(in, b[:]); err != nil {
		return a, err
	}
	a.Success, a.NoRetryBackoff = b[0]&succeeded != 0, b[0]&atOnce != 0
	a.Term, a.LastLog = binary.LittleEndian.Uint64(b[1:]), binary.LittleEndian.Uint64(b[9:])
	return a, nil
}
