package carrier

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/hashicorp/raft"
)

// Integers are little-endian. The numbers are sizes in bytes:
//
//	request  version 1, protocol 1, lengths of id and address 2 × 2, number of entries 2, term 8, index before 8, term before 8,
//	         commit index 8, id, address, entries
//	entry    index 8, term 8, type 1, number of bytes 4, bytes
//	answer   flags 1, term 8, last index 8
const (
	version    = 1
	headSize   = 40
	entrySize  = 21
	answerSize = 17
	// A request has at most maxEntries entries, and an entry has at most maxData bytes.
	maxEntries = 1 << 12
	maxData    = 1 << 30
	// An entry of maxCopied bytes or more is written without a copy.
	maxCopied = 1 << 20
)

// The flags of an answer.
const (
	succeeded = 1 << iota
	atOnce    // the sender need not wait before it tries again
)

// writeRequest writes a request. It uses the memory of buf, and returns that memory for the next request.
func writeRequest(w io.Writer, buf []byte, r *raft.AppendEntriesRequest) ([]byte, error) {
	b := append(buf[:0], version, byte(r.ProtocolVersion))
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
		if len(l.Data) < maxCopied {
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
	_, err := w.Write(b)
	return b[:0], err
}

// readRequest reads a request.
func readRequest(in *bufio.Reader) (*raft.AppendEntriesRequest, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	if head[0] != version {
		return nil, fmt.Errorf("a request with entries has version %d, and this server knows version %d: run the same release on every node", head[0], version)
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	long := func(at int) uint64 { return binary.LittleEndian.Uint64(head[at:]) }
	r := &raft.AppendEntriesRequest{Term: long(8), PrevLogEntry: long(16), PrevLogTerm: long(24), LeaderCommitIndex: long(32)}
	id, entries := number(2), number(6)
	names := make([]byte, id+number(4))
	if _, err := io.ReadFull(in, names); err != nil {
		return nil, err
	}
	r.ProtocolVersion = raft.ProtocolVersion(head[1])
	r.ID, r.Addr = names[:id], names[id:]
	if entries > maxEntries {
		return nil, fmt.Errorf("a request has %d entries, and it may have %d", entries, maxEntries)
	}
	logs := make([]raft.Log, entries)
	r.Entries = make([]*raft.Log, entries)
	for i := range logs {
		r.Entries[i] = &logs[i]
		if err := readEntry(in, &logs[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readEntry reads an entry.
func readEntry(in *bufio.Reader, l *raft.Log) error {
	var head [entrySize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(head[17:])
	if size > maxData {
		return fmt.Errorf("an entry has %d bytes, and it may have %d", size, maxData)
	}
	l.Index, l.Term = binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	l.Type, l.Data = raft.LogType(head[16]), make([]byte, size)
	_, err := io.ReadFull(in, l.Data)
	return err
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
