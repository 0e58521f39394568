package follow

import (
	"bytes"
	"context"
	"fmt"

	"cellserver/replica"
	"cellserver/store"
)

// The bounds of the keys of a full copy that become one entry of the log of a cluster.
const (
	pourBytes = 256 << 10
	pourKeys  = 1024
	// mostOfKey is how many bytes one key may have: an entry has at most 1 GiB.
	mostOfKey = 768 << 20
)

// pour replaces the keys of a cluster by those of a copy, in many entries of the log. While they are
// incomplete, nobody reads them. If this node does not lead until the end, the next leader begins with
// another copy.
func (t *target) pour(ctx context.Context, from *store.Store, at replica.Position) error {
	if err := fits(from); err != nil {
		return err
	}
	t.kept.Word, t.kept.at = copies, replica.Position{}
	t.Copying(true)
	if err := t.step(ctx, t.following.flush); err != nil {
		return err
	}
	if err := t.pourKeys(ctx, from); err != nil {
		return err
	}
	t.kept.Word, t.kept.at = follows, at
	err := t.step(ctx, func(*store.Tx) {})
	if err == nil {
		t.Copying(false)
	}
	return err
}

// fits returns an error that stops the move if a key is too large for an entry of the log.
func fits(from *store.Store) error {
	return eachKey(from, func(im *store.Image) error {
		const perMember = 12
		if c := im.Collection; c != nil && c.Bytes()+perMember*int64(c.Len()) > mostOfKey {
			return &replica.Stop{Reason: fmt.Errorf("key %.64q has more than %d MiB, and a cluster cannot "+
				"hold it: divide it", im.Key, mostOfKey>>20)}
		}
		return nil
	})
}

// eachKey calls do for each key of clients in a copy. The copy may have keys of a server's own database, too:
// they are another server's rules, or whom it follows.
func eachKey(of *store.Store, do func(im *store.Image) error) error {
	s, err := of.Snapshot(0, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Each(func(im *store.Image) error {
		if im.DB == store.Own {
			return nil
		}
		return do(im)
	})
}

// pourKeys adds the keys of a copy.
func (t *target) pourKeys(ctx context.Context, from *store.Store) error {
	var tx *store.Tx // of the keys that become the next entry; nil for none
	defer func() {
		if tx != nil {
			tx.End()
		}
	}()
	err := eachKey(from, func(im *store.Image) error {
		if tx == nil {
			if tx = t.following.begin(t.epoch, t.Follower); tx == nil {
				return ended(ctx)
			}
		}
		tx.Select(im.DB)
		e := tx.Peek(bytes.Clone(im.Key)) // the transaction borrows it until its end
		e.SetImage(im)
		if tx.EffectBytes() < pourBytes && tx.Changes() < pourKeys {
			return nil
		}
		tx.End()
		tx = nil
		return t.safe(ctx)
	})
	if err != nil || tx == nil {
		return err
	}
	tx.End()
	return t.safe(ctx)
}

// step changes the key, and waits until a majority has it.
func (t *target) step(ctx context.Context, do func(tx *store.Tx)) error {
	tx := t.following.begin(t.epoch, t.Follower)
	if tx == nil {
		return ended(ctx)
	}
	do(tx)
	t.kept.write(tx)
	tx.End()
	return t.safe(ctx)
}

// safe waits until a majority has all that this node has.
func (t *target) safe(ctx context.Context) error {
	if !t.o.Cluster.Wait(t.epoch) {
		return ended(ctx)
	}
	return ctx.Err()
}

// hasEnded reports whether this node does not lead any more, or REPLICAOF has ended the link.
func (t *target) hasEnded() bool {
	return t.o.Cluster != nil && (t.o.Cluster.Epoch() != t.epoch || !t.HasTurn())
}

// ended waits until the link is closed, because the epoch has ended or REPLICAOF has come.
func ended(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// text returns what the key says after a command in a database.
func (t *target) text(db int, failed bool) []byte {
	k := t.kept
	if k.at.DB = db; failed {
		k.at = replica.Position{} // only a part of it may have run
	}
	return k.text()
}
