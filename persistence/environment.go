package persistence

import (
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"

	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// Clock is the server's time, which the edge owns.
type Clock interface {
	Now() int64       // Unix nanoseconds
	Monotonic() int64 // nanoseconds since some fixed moment
	// Continue makes Now go on from a time, if that is ahead by more than a limit. It returns by how many
	// nanoseconds.
	Continue(at int64) (gap int64)
	// Steps returns how often the wall clock was set back, and by how many nanoseconds Now is ahead of it.
	Steps() (back, gap int64)
}

// environment is the state that all parts of a [Manager] share.
type environment struct {
	store   *store.Store
	fs      fs.FS
	clock   Clock
	log     *slog.Logger
	version string

	settings atomic.Pointer[Settings]

	conditionMu     sync.Mutex // guards condition, and the order of the calls of changeCondition
	condition       Condition
	changeCondition func(Condition)
}

// update changes what clients may do, and reports a change.
func (env *environment) update(change func(*Condition)) {
	env.conditionMu.Lock()
	defer env.conditionMu.Unlock()
	before := env.condition
	change(&env.condition)
	if env.condition != before && env.changeCondition != nil {
		env.changeCondition(env.condition)
	}
}

// loading reports whether data is being loaded. It stays true after a start that failed.
func (env *environment) loading() bool {
	env.conditionMu.Lock()
	defer env.conditionMu.Unlock()
	return env.condition.Loading
}

// facts returns the facts of a file about itself. base is "1" for the base of an append-only file, else "0".
func (env *environment) facts(now int64, base string) []rdb.Fact {
	return []rdb.Fact{
		{Name: "redis-ver", Value: env.version}, {Name: "redis-bits", Value: "64"},
		{Name: "ctime", Value: strconv.FormatInt(now/1e9, 10)}, {Name: "used-mem", Value: strconv.FormatInt(env.store.Used(), 10)},
		{Name: "aof-base", Value: base},
	}
}

// lockAll begins a silent transaction on the whole store: observers do not see it.
func (env *environment) lockAll() *store.Tx {
	tx := env.store.NewTx()
	tx.Silent = true
	tx.BeginAll(env.clock.Now(), 0)
	return tx
}
