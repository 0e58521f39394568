package rdb

import (
	"io"
	"sync/atomic"

	"cellserver/store"
)

// Fact is a name and a value that a file says about itself ([Writer.Aux]).
type Fact struct{ Name, Value string }

// SaveOptions say how a file is written.
type SaveOptions struct {
	Facts      []Fact
	NoChecksum bool          // rdbchecksum no
	Keys       *atomic.Int64 // counts the keys as they are written; may be nil
}

// Save writes a whole file: everything that the snapshot sees. It closes the snapshot. Its error is
// the error of out. To stop Save early, let out fail.
func Save(out io.Writer, n *store.Snapshot, o SaveOptions) error {
	defer n.Close()
	w := NewWriter(out, o.NoChecksum)
	for _, f := range o.Facts {
		w.Aux(f.Name, f.Value)
	}
	err := n.Each(func(im *store.Image) error {
		if o.Keys != nil {
			o.Keys.Add(1)
		}
		return w.Image(im, n.Counts())
	})
	if err != nil {
		return err
	}
	return w.Finish()
}
