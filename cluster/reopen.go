package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cellserver/cluster/raftlog"
	"cellserver/persistence/fs"
)

// A node tries a disk that has failed again and again. It waits for a disk that is full, which may get room
// at any time.
const (
	tryAgain   = 200 * time.Millisecond
	healWithin = 10 * time.Second // for a disk that fails otherwise
)

// probeSize is how many bytes a disk must take before a node trusts it again.
const probeSize = 64 << 10

// reopen opens the directory of a disk that has failed, as soon as it takes writes. monotonic returns
// nanoseconds.
func (d *disk) reopen(ctx context.Context, monotonic func() int64) (*disk, error) {
	tick := time.Tick(tryAgain)
	for begun := monotonic(); ; {
		next, err := d.again()
		switch _, damaged := errors.AsType[*raftlog.DamageError](err); {
		case err == nil:
			return next, nil
		case fs.IsFull(err):
		case damaged, monotonic()-begun > int64(healWithin):
			return nil, fmt.Errorf("the disk of this node does not work: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick:
		}
	}
}

// again opens the directory again, if it takes writes.
func (d *disk) again() (*disk, error) {
	if err := d.probe(); err != nil {
		return nil, err
	}
	next := &disk{o: d.o, log: d.log, identity: d.identity, failed: d.failed}
	err := next.openLog()
	if err != nil && next.logs != nil {
		err = errors.Join(err, next.logs.Close())
	}
	return next, err
}

// probe writes and removes a file.
func (d *disk) probe() error {
	path := filepath.Join(d.o.Dir, "temp-probe")
	f, err := d.o.FS.Open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err = f.Write(make([]byte, probeSize)); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), d.o.FS.Remove(path))
}
