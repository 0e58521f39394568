package follow

import (
	"encoding/json"
	"fmt"
	"strings"

	"cellserver/replica"
	"cellserver/store"
)

// followingKey is a key of the server's own database. It says whom the server follows, or whom it has left.
// On a server that is alone, a clean stop adds the position, and the next start takes it out. In a cluster,
// each transaction that changes keys has it.
const followingKey = "replicaof"

// The words of the key.
const (
	follows = "follows"
	copies  = "copies" // the full copy is here in part
	hasLeft = "left"
)

// kept is what the key says.
type kept struct {
	Word string `json:"-"`
	Host string `json:"-"`
	Port int    `json:"-"`
	at   replica.Position

	LeftOut map[string]int64 `json:"left_out,omitempty"`
	Stopped string           `json:"stopped,omitempty"` // why the move has stopped; "" if it has not

	changes uint64 // of a [Following] that has read the key
}

// parseKept parses the text of the key. A text that it does not know says nothing.
func parseKept(text string) (k kept) {
	const begin = `{"` // no host has a quote
	words, more, has := strings.Cut(text, " "+begin)
	_, _ = fmt.Sscan(words, &k.Word, &k.Host, &k.Port, &k.at.ID, &k.at.Offset, &k.at.DB)
	if has {
		_ = json.Unmarshal([]byte(begin+more), &k)
	}
	return k
}

// text returns the text of the key.
func (k *kept) text() []byte {
	b := fmt.Appendf(nil, "%s %s %d", k.Word, k.Host, k.Port)
	if k.at.ID != "" {
		b = fmt.Appendf(b, " %s %d %d", k.at.ID, k.at.Offset, k.at.DB)
	}
	if len(k.LeftOut) > 0 || k.Stopped != "" {
		more, _ := json.Marshal(k) // a map of numbers and a text
		b = append(append(b, ' '), more...)
	}
	return b
}

// on reports whether the server follows another one. A key that nobody has read yet, nil, says no.
func (k *kept) on() bool { return k != nil && (k.Word == follows || k.Word == copies) }

// same reports whether the server follows as it did before, and no REPLICAOF has changed the key meanwhile.
func (k *kept) same(before *kept) bool { return k.on() == before.on() && k.changes == before.changes }

// state returns what INFO shows without a link.
func (k *kept) state() replica.State {
	return replica.State{
		Host: k.Host, Port: k.Port, Phase: replica.Waiting, Position: k.at,
		LeftOut: k.LeftOut, Failed: k.Stopped, Stopped: k.Stopped != "",
	}
}

// readKept reads the key in a transaction.
func readKept(tx *store.Tx) kept {
	db := tx.DB()
	tx.Select(store.Own)
	defer tx.Select(db)
	e := tx.Peek([]byte(followingKey))
	if !e.Exists() {
		return kept{}
	}
	return parseKept(string(e.Bytes(nil)))
}

// Forget makes a store say that its server follows nobody.
func Forget(s *store.Store) {
	tx := s.NewTx()
	tx.BeginKey(0, store.Own, []byte(followingKey))
	defer tx.End()
	(&kept{}).write(tx)
}

// write writes the key in a transaction.
func (k *kept) write(tx *store.Tx) {
	db := tx.DB()
	tx.Select(store.Own)
	defer tx.Select(db)
	e := tx.Write([]byte(followingKey))
	if k.Word == "" {
		e.Delete()
		return
	}
	e.SetBytes(k.text(), store.NoExpiry)
}
