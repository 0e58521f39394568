package commands

import (
	"strings"

	"cellserver/store"
)

// Scripts are the scripts that the server knows: EVAL and SCRIPT.
type Scripts interface {
	// Load keeps a script, and returns the SHA-1 of its text. The error is that of the compiler.
	Load(source []byte) (sha string, err error)
	// Exists reports whether the server knows the script of a SHA-1, in any case.
	Exists(sha []byte) bool
	// Flush forgets all scripts.
	Flush()
	// Kill ends the scripts that take long and have not written. If there is none, the error says why.
	Kill() error
	// Stop ends the scripts that take long and began before a time of the monotonic clock, and takes back what
	// they have done. The server stops, or its cluster needs their keys.
	Stop(before int64)
	// Footprint adds the partitions that a script needs beyond those of its declared keys.
	Footprint(c *Call, s Script, fp *store.Footprint)
	// Flags returns the flags of a command that runs a script, with the flags in the first line of the
	// script.
	Flags(c *Call, s Script) Flags
	// Busy reports whether a script has run for longer than busy-reply-threshold.
	Busy(c *Call) bool
	// Memory returns how many bytes scripts have made at most, with the garbage of those that have ended.
	Memory() int64
	// Run runs a script and writes its reply.
	Run(c *Call, s Script) error
}

// ErrBusy is the error of a command that cannot run while a script runs.
const ErrBusy Error = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."

// ErrNoScript is the error of a script that the server does not know.
const ErrNoScript Error = "NOSCRIPT No matching script. Please use EVAL."

// Script is one call of a script.
type Script struct {
	Text       []byte // the source, or its SHA-1 if BySHA
	BySHA      bool
	ReadOnly   bool // the script must not write
	Keys, Args [][]byte
}

// ScriptOf returns the script of a command that runs one, without its keys and arguments.
func ScriptOf(c *Call) Script {
	return Script{Text: c.Args[1], BySHA: strings.HasPrefix(c.Cmd.Name, "evalsha"), ReadOnly: c.Cmd.Flags&ReadOnly != 0}
}
