package scripts

import "cellserver/commands"

// memory has copies of the arguments that a script passes to commands. Effects and the tracking table refer
// to them until the transaction of the script ends.
type memory struct {
	piece []byte // the newest one
	bytes int    // of all copies
}

const (
	pieceSize = 1 << 10
	maxCopied = 64 << 20
)

const errCopied commands.Error = "OOM the script has passed more than 64 MB to commands that write"

// reset says that nobody refers to a copy any more.
func (m *memory) reset() {
	if m.bytes = 0; cap(m.piece) > pieceSize {
		m.piece = nil
	}
	m.piece = m.piece[:0]
}

// mark is a moment to which undo goes back.
type mark struct {
	piece []byte
	bytes int
}

func (m *memory) mark() mark { return mark{m.piece, m.bytes} }

// undo says that nobody refers to a copy that was made after a mark.
func (m *memory) undo(to mark) { m.piece, m.bytes = to.piece, to.bytes }

// copyAll replaces arguments by copies.
func (m *memory) copyAll(args [][]byte) error {
	size := 0
	for _, a := range args {
		size += len(a)
	}
	if m.bytes += size; m.bytes > maxCopied {
		return errCopied
	}
	if cap(m.piece)-len(m.piece) < size {
		m.piece = make([]byte, 0, max(pieceSize, size))
	}
	for i, a := range args {
		start := len(m.piece)
		m.piece = append(m.piece, a...)
		args[i] = m.piece[start:len(m.piece):len(m.piece)]
	}
	return nil
}
