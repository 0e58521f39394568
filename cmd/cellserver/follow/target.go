package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cellserver/persistence/rdb"
	"cellserver/replica"
	"cellserver/server"
	"cellserver/store"
)

// target takes the full copy and the commands of the master. It implements [replica.Target].
type target struct {
	*server.Follower
	o    *Options
	link *replica.Link

	// Of a member of a cluster:
	following *Following
	epoch     uint64
	kept      kept // what the key says next
}

// Replace implements [replica.Target]. The copy comes into a store beside that of the clients, which read the
// old keys meanwhile. So a copy that breaks changes nothing. Until the end both sets of keys take memory.
func (t *target) Replace(
	ctx context.Context, in io.Reader, at *replica.Position, loaded func(keys int64),
) (err error) {
	defer func() {
		if err == store.ErrExhausted {
			err = &replica.Stop{Reason: errors.New("the system gives no more memory for the copy")}
		}
	}()
	defer store.RecoverExhausted(&err)
	o := t.o
	beside, begun := o.Store.Beside(), o.Clock.Monotonic()
	defer beside.Drop()
	copied := &copyReader{ctx: ctx, in: in, used: o.Store.Used, before: o.Store.Used(),
		most: func() int64 { return o.Server.Config().MaxMemory }}
	result, err := rdb.Load(copied, beside, rdb.LoadOptions{
		Options: rdb.Options{SkipUnsupported: true, Aux: streamDB(&at.DB)}, KeepExpired: true, Now: o.Clock.Now(),
		Progress: func(_, keys int64) { loaded(keys) },
	})
	if err == nil {
		err = copied.end(result.Bytes)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case copied.full != nil:
		return &replica.Stop{Reason: copied.full}
	case err != nil:
		return err
	}
	if n := o.Store.Databases(); at.DB >= n {
		return &replica.Stop{Reason: fmt.Errorf("its commands begin in database %d, but there are only %d "+
			"databases: set databases to a higher number", at.DB, n)}
	}
	if err := t.leaveOut(result.Skipped); err != nil {
		return err
	}
	before := o.Store.Keys()
	if o.Cluster != nil {
		err = t.pour(ctx, beside, *at)
	} else if err = o.Disk.Adopt(beside); err == nil {
		o.Server.KeysReplaced()
	}
	if err != nil {
		return err
	}
	o.Log.Info("the full copy has replaced the keys of this server", "keys", result.Keys, "before", before,
		"milliseconds", (o.Clock.Monotonic()-begun)/1e6)
	return nil
}

// streamDB returns what takes the fact about a copy that says in which database the commands after it begin. The
// other server may be a replica: then it passes on the commands of its own master, which selected the database
// before the copy.
func streamDB(db *int) func(name, value string) {
	return func(name, value string) {
		if name == "repl-stream-db" {
			n, _ := strconv.Atoi(value)
			*db = max(n, 0) // 0 for anything else, as in Redis: early versions of 4.0 say -1 for none
		}
	}
}

// leaveOut counts what the copy has and this server does not keep. Without rdb-skip-unsupported that stops
// the move.
func (t *target) leaveOut(skipped map[string]int) error {
	var names []string
	for _, what := range slices.Sorted(maps.Keys(skipped)) {
		if !strings.HasPrefix(what, "empty ") { // nothing is lost with these
			names = append(names, fmt.Sprintf("%d × %s", skipped[what], what))
		}
	}
	if len(names) > 0 && !t.o.Server.Config().RDBSkipUnsupported {
		return &replica.Stop{Reason: fmt.Errorf("it has what this server does not keep: %s: "+
			"to leave that out, CONFIG SET rdb-skip-unsupported yes", strings.Join(names, ", "))}
	}
	for what, n := range skipped {
		t.o.Log.Warn("left out unsupported data", "what", what, "count", n)
		t.leftOut(what, int64(n))
	}
	return nil
}

// leftOut counts what is left out. The next position that the key gets has it.
func (t *target) leftOut(what string, n int64) (first bool) {
	first = t.link.LeftOut(what, n)
	t.kept.LeftOut = t.link.State().LeftOut
	return first
}

// Apply implements [replica.Target].
func (t *target) Apply(ctx context.Context, args [][]byte, at replica.Position) error {
	t.kept.at = at
	err := t.Follower.Apply(ctx, args)
	unkept, is := errors.AsType[*server.Unkept](err)
	switch {
	case err != nil && ctx.Err() != nil: // the end of the link has ended a script
		return ctx.Err()
	case err != nil && t.hasEnded():
		return ended(ctx)
	case !is:
		return err
	}
	switch may := t.o.Server.Config().RDBSkipUnsupported; {
	case unkept.Memory:
		return &replica.Stop{Reason: err}
	case may, unkept.Limits:
		if t.leftOut("command "+unkept.Command, unkept.Calls) {
			t.o.Log.Warn("left out a command, and will not say so again", "error", err)
		}
		return nil
	}
	return &replica.Stop{Reason: fmt.Errorf("%w: to leave such commands out, "+
		"CONFIG SET rdb-skip-unsupported yes", err)}
}

// Rest implements [replica.Target].
func (t *target) Rest() (safe bool) {
	t.Follower.Rest()
	return t.o.Cluster == nil || t.o.Cluster.Wait(t.epoch)
}

// copyReader reads a copy until its context ends or the new keys take more than maxmemory.
type copyReader struct {
	ctx    context.Context
	in     io.Reader
	read   int64
	used   func() int64
	most   func() int64 // maxmemory, 0 for no limit
	before int64        // the memory of the old keys
	full   error
}

// end returns an error if the copy does not end after a number of bytes.
func (b *copyReader) end(size int64) error {
	if b.read == size {
		if _, err := io.ReadFull(b, make([]byte, 1)); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errors.New("the copy goes on after its end")
}

// Read implements io.Reader.
func (b *copyReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if most := b.most(); most > 0 && b.used()-b.before > most {
		b.full = fmt.Errorf("the copy takes more memory than maxmemory (%d bytes): raise it", most)
		return 0, b.full
	}
	n, err := b.in.Read(p)
	b.read += int64(n)
	return n, err
}
