package server

import (
	"cmp"
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/store"
)

// turn is the time for which the server follows another one, or the time between two such times. A [Follower]
// has one, and its goroutine alone uses failed.
type turn struct {
	failed *Unkept // the first error of the command that runs
	keep   *Keep   // on the leader of a cluster; otherwise nil
}

// fail notes that a command has failed.
func (t *turn) fail(call *commands.Call, err error) {
	u := unkept(call.Cmd.FullName(), call.Args, err.Error())
	code, _, _ := strings.Cut(u.Reason, " ")
	u.Memory = code == "OOM"
	u.Limits = call.Cmd.Group == commands.GroupLimiter && code != "OOM" && code != "WRONGTYPE"
	switch {
	case t.failed == nil || t.failed.Limits && !u.Limits:
		t.failed = u
	case t.failed.Limits:
		t.failed.Calls++
	}
}

// Keep is what a follower adds to each transaction in which its commands change keys, on the leader of a
// cluster. It is the position after them, as a key of the server's own database. So no node ever has one
// without the other.
type Keep struct {
	Epoch uint64 // in which alone its commands run
	Key   []byte
	// Text returns the value of the key. After the error of a command it has no position.
	Text func(db int, failed bool) []byte
}

// lock adds the key to the footprint of a command.
func (t *turn) lock(fp *store.Footprint) {
	if t.keep != nil && *fp != (store.Footprint{}) {
		fp.AddKey(t.keep.Key)
	}
}

// keepPosition writes the key if the transaction has changed keys.
func (t *turn) keepPosition(tx *store.Tx) {
	if t.keep == nil || tx.Changes() == 0 {
		return
	}
	db := tx.DB()
	tx.Select(store.Own)
	e := tx.Write(t.keep.Key)
	e.SetBytes(t.keep.Text(db, t.failed != nil), store.NoExpiry)
	tx.Select(db)
}

// losePosition writes the key after a panic, which may come again.
func (t *turn) losePosition(tx *store.Tx) {
	defer func() { _ = recover() }()
	t.failed = cmp.Or(t.failed, &Unkept{})
	t.keepPosition(tx)
}

// Unkept is the error of a command that cannot run here. The command has changed nothing. Earlier commands of
// its transaction or script may have run.
type Unkept struct {
	Command string
	Key     string // quoted, or ""
	Reason  string
	Calls   int64
	Memory  bool // there is not enough
	Limits  bool // redis-cell takes arguments that are errors here; no other command has failed
}

// Error names the command and its key.
func (u *Unkept) Error() string {
	return u.Command + " cannot run here: " + u.Reason + " (key " + cmp.Or(u.Key, "none") + ")"
}

// unkept returns the error of a command, which may be an unknown one.
func unkept(name string, args [][]byte, reason string) *Unkept {
	u := &Unkept{Command: name, Reason: fmt.Sprintf("%.200s", reason), Calls: 1}
	if len(args) > 1 {
		u.Key = fmt.Sprintf("%.64q", args[1])
	}
	return u
}

const (
	notSent = "it is no command that a server sends to its replicas"
	// errOurs is the error of a script that calls such a command.
	errOurs commands.Error = "ERR " + notSent
)

// isOurs reports whether a command is of cellserver alone. No other server changes the rules here.
// A Redis with redis-cell has CL.THROTTLE.
func isOurs(cmd *commands.Command) bool {
	return cmd.Group == commands.GroupLimiter && cmd.Name != "cl.throttle"
}

// asKept returns a command of another server as this server runs it. Redis 8 sends HINCRBYFLOAT as
// HSETEX key KEEPTTL FIELDS 1 field value. No field has an expiry here, so that is HSET.
func asKept(args [][]byte) [][]byte {
	if len(args) == 7 && commands.Is(args[0], "hsetex") && commands.Is(args[2], "keepttl") &&
		commands.Is(args[3], "fields") {
		return [][]byte{[]byte("HSET"), args[1], args[5], args[6]}
	}
	return args
}
