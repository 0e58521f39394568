package entry

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"cellserver/persistence/rdb"
	"cellserver/store"
)

// The names of the facts.
const (
	factCluster = "cl-cluster" // the id of the cluster
	factGroups  = "cl-groups"
	factLevel   = "cl-level" // the feature level of the cluster
	factTime    = "cl-ts"
	factEntry   = "cl-entry" // index, term and number of the last entry
	factNode    = "cl-node"  // a node as in an entry, once for each
	factGone    = "cl-gone"  // the id of a node that is marked as removed, once for each
)

// Facts are the contents of a snapshot besides the keys.
type Facts struct {
	Cluster [20]byte // its id
	Index   uint64   // of the last entry in the log
	Term    uint64   // of the last entry that counted
	Batch   uint64   // its number
	Time    int64    // of the log, in Unix nanoseconds
	Level   uint16   // the feature level of the cluster; 0 if it could not be read
	Nodes   [][]byte // each in the form of an entry
	Gone    []string // the ids of nodes that are marked as removed
}

// Committed is what keys hold without the batches of a queue: the keys that the batches have changed, as
// they were before. An image of kind None says that the key was absent.
type Committed map[Key]*store.Image

// Key is a key of a database.
type Key struct {
	DB   int
	Name string
}

// SaveImage writes a snapshot, and closes the snapshot of the store. The keys in before are written with
// their values from there, not with those of the store.
func SaveImage(out io.Writer, s *store.Snapshot, f Facts, before Committed) error {
	defer s.Close()
	w := rdb.NewWriter(out, false)
	w.Aux(factCluster, hex.EncodeToString(f.Cluster[:]))
	w.Aux(factGroups, "1")
	w.Aux(factLevel, fmt.Sprint(f.Level))
	w.Aux(factTime, fmt.Sprint(f.Time))
	w.Aux(factEntry, fmt.Sprint(f.Index, " ", f.Term, " ", f.Batch))
	for _, n := range f.Nodes {
		w.Aux(factNode, string(n))
	}
	for _, id := range f.Gone {
		w.Aux(factGone, id)
	}
	key := func(im *store.Image) error { return w.Image(im, s.Counts()) }
	err := s.Each(func(im *store.Image) error {
		if _, changed := before[Key{DB: im.DB, Name: string(im.Key)}]; changed {
			return nil
		}
		return key(im)
	})
	for _, im := range before {
		if err == nil && im.Kind != store.None {
			err = key(im)
		}
	}
	if err != nil {
		return err
	}
	return w.Finish()
}

// LoadImage loads a snapshot of a cluster into an empty store. After an error the store has a part of it.
func LoadImage(in io.Reader, s *store.Store, cluster [20]byte) (f Facts, err error) {
	var wrong error
	found := 0
	note := func(name, value string) {
		var err error
		found++
		switch name {
		case factCluster:
			if value != hex.EncodeToString(cluster[:]) {
				err = fmt.Errorf("it is of cluster %s, and this node of cluster %x", value, cluster)
			}
		case factGroups:
			if value != "1" {
				err = fmt.Errorf("it has %q groups, and this server knows clusters of one group: install the newer release", value)
			}
		case factTime:
			_, err = fmt.Sscan(value, &f.Time)
		case factEntry:
			_, err = fmt.Sscan(value, &f.Index, &f.Term, &f.Batch)
		case factLevel:
			_, err = fmt.Sscan(value, &f.Level)
		default:
			found--
			f.noteNode(name, value)
		}
		wrong = errors.Join(wrong, err)
	}
	_, err = rdb.Load(in, s, rdb.LoadOptions{KeepExpired: true, Options: rdb.Options{Aux: note}})
	if err == nil && found != 5 {
		wrong = errors.Join(wrong, errors.New("it is not the snapshot of a cluster"))
	}
	f.Cluster = cluster
	return f, errors.Join(wrong, err)
}

// noteNode notes a fact about a node.
func (f *Facts) noteNode(name, value string) {
	switch name {
	case factNode:
		f.Nodes = append(f.Nodes, []byte(value))
	case factGone:
		f.Gone = append(f.Gone, value)
	}
}
