package commands

import (
	"bytes"
	"fmt"

	"cellserver/internal/rediserr"
)

// Error is an error reply with its leading code. Errors of several commands are in this file; the
// error of a single command is in the command's file.
type Error = rediserr.Error

// CountedError is the error of a script that passes on the error of a command. The statistics have counted
// that error already.
type CountedError string

// Error returns the text as the client reads it.
func (e CountedError) Error() string { return string(e) }

// Errors with the texts of Redis 7.0.
const (
	ErrSyntax            = rediserr.Syntax
	ErrNotInteger        = rediserr.NotInteger
	ErrNotFloat    Error = "ERR value is not a valid float"
	ErrOutOfRange  Error = "ERR value is out of range"
	ErrNotPositive Error = "ERR value is out of range, must be positive"
	ErrWrongType         = rediserr.WrongType
	ErrNumKeys     Error = "ERR numkeys should be greater than 0"
	ErrPopCount    Error = "ERR count should be greater than 0"
	ErrTooLong     Error = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	ErrDBRange     Error = "ERR DB index is out of range"
	ErrNoSuchKey   Error = "ERR no such key"
	ErrSameObject  Error = "ERR source and destination objects are the same"
	ErrNotInMulti  Error = "ERR Command not allowed inside a transaction"
	ErrNoAuth      Error = "NOAUTH Authentication required."
	ErrHelloNoAuth Error = "NOAUTH HELLO must be called with the client already authenticated, otherwise the " +
		"HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol " +
		"version at the same time"
	ErrCrossSlot  Error = "CROSSSLOT Keys in request don't hash to the same slot"
	ErrOOM        Error = "OOM command not allowed when used memory > 'maxmemory'."
	errTimeout    Error = "ERR timeout is not an integer or out of range"
	errTimeoutNeg Error = "ERR timeout is negative"
)

// WrongArity is the error of a call with a wrong number of arguments. name is the full name of the
// command.
func WrongArity(name string) error { return rediserr.WrongArity(name) }

// ErrManyGuesses is the error of an attempt that auth-fail-limit refuses. `wait` is in nanoseconds.
func ErrManyGuesses(wait int64) error {
	return Error(fmt.Sprintf("ERR too many failed attempts to authenticate from this address: "+
		"try again in %d seconds", (wait+1e9-1)/1e9))
}

// InvalidExpire is the error of an expiry that is not positive or that overflows. name is the full
// name of the command.
func InvalidExpire(name string) error {
	return Error("ERR invalid expire time in '" + name + "' command")
}

// quotedBytes is the largest number of bytes that the error of an unknown command quotes of the
// name, and of the arguments.
const quotedBytes = 128

// UnknownSubcommandOrArity is the error of a parent that finds its subcommands itself, such as
// DEBUG.
func UnknownSubcommandOrArity(parent string, name []byte) error {
	return Error(fmt.Sprintf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.",
		Clip(name, quotedBytes), parent))
}

// NotAllowed is the error of a command that an option such as enable-debug-command forbids.
func NotAllowed(name, option string) error {
	return Error(fmt.Sprintf("ERR %s command not allowed. If the %s option is set to \"local\", you "+
		"can run it from a local connection, "+
		"otherwise you need to set this option in the configuration file, and then restart the server.", name, option))
}

// Clip returns at most n bytes of b, up to the first NUL. C's "%.*s" prints the same.
func Clip(b []byte, n int) string { return string(clip(b, n)) }

// clip is [Clip] without a copy.
func clip(b []byte, n int) []byte {
	b = b[:min(len(b), max(n, 0))]
	if end := bytes.IndexByte(b, 0); end >= 0 {
		return b[:end]
	}
	return b
}
