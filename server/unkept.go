package server

import (
	"cmp"
	"fmt"
	"strings"

	"cellserver/commands"
)

// turn is the time for which the server follows another one, or the time between two such times. A [Follower]
// has one, and its goroutine alone uses the fields.
type turn struct {
	failed *Unkept // the first error of the command that runs
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
