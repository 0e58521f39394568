package commands

import (
	"fmt"
	"strings"

	"cellserver/internal/rediserr"
)

// Error is an error reply with its leading code. Errors of several commands are in this file; the
// error of a single command is in the command's file.
type Error = rediserr.Error

// Errors with the texts of Redis 7.0.
const (
	ErrSyntax            = rediserr.Syntax
	ErrNotInteger        = rediserr.NotInteger
	ErrNotFloat    Error = "ERR value is not a valid float"
	ErrOutOfRange  Error = "ERR value is out of range"
	ErrNotPositive Error = "ERR value is out of range, must be positive"
	ErrWrongType         = rediserr.WrongType
	ErrTooLong     Error = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	ErrDBRange     Error = "ERR DB index is out of range"
	ErrSameObject  Error = "ERR source and destination objects are the same"
	ErrNotInMulti  Error = "ERR Command not allowed inside a transaction"
	ErrNoAuth      Error = "NOAUTH Authentication required."
	ErrCrossSlot   Error = "CROSSSLOT Keys in request don't hash to the same slot"
	ErrOOM         Error = "OOM command not allowed when used memory > 'maxmemory'."
	errTimeout     Error = "ERR timeout is not an integer or out of range"
	errTimeoutNeg  Error = "ERR timeout is negative"
)

// WrongArity is the error of a call with a wrong number of arguments. name is the full name of the
// command.
func WrongArity(name string) error { return rediserr.WrongArity(name) }

// InvalidExpire is the error of an expiry that is not positive or that overflows. name is the full
// name of the command.
func InvalidExpire(name string) error {
	return Error("ERR invalid expire time in '" + name + "' command")
}

// unknownCommand is the error of a command that is not in the table. As in Redis, it quotes at most
// 128 bytes of the arguments.
func unknownCommand(args [][]byte) error {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", Clip(a, 128-b.Len()))
	}
	return Error(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", Clip(args[0], 128), b.String()))
}

func unknownSubcommand(parent string, name []byte) error {
	return Error(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", Clip(name, 128), strings.ToUpper(parent)))
}

// UnknownSubcommandOrArity is the error of a parent that finds its subcommands itself, such as
// DEBUG.
func UnknownSubcommandOrArity(parent string, name []byte) error {
	return Error(fmt.Sprintf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.", Clip(name, 128), parent))
}

// NotAllowed is the error of a command that an option such as enable-debug-command forbids.
func NotAllowed(name, option string) error {
	return Error(fmt.Sprintf("ERR %s command not allowed. If the %s option is set to \"local\", you can run it from a local connection, "+
		"otherwise you need to set this option in the configuration file, and then restart the server.", name, option))
}

// Clip returns at most n bytes of b, up to the first NUL. C's "%.*s" prints the same.
func Clip(b []byte, n int) string {
	for i, c := range b {
		if c == 0 {
			b = b[:i]
			break
		}
	}
	return string(b[:min(len(b), max(n, 0))])
}
