package commands

import (
	"fmt"
	"strings"
)

// Error is a reply: Redis's text with its leading code. A text that is no single command's
// stands here, any other beside the command that answers with it.
type Error string

// Error returns the text as the client reads it, without the '-'.
func (e Error) Error() string { return string(e) }

// The errors of Redis 7.0, to the letter.
const (
	errSyntax      Error = "ERR syntax error"
	errNotInteger  Error = "ERR value is not an integer or out of range"
	errNotFloat    Error = "ERR value is not a valid float"
	errOutOfRange  Error = "ERR value is out of range"
	errNotPositive Error = "ERR value is out of range, must be positive"
	errWrongType   Error = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errTooLong     Error = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errDBRange     Error = "ERR DB index is out of range"
	errSameObject  Error = "ERR source and destination objects are the same"
	errNotInMulti  Error = "ERR Command not allowed inside a transaction"
	errOOM         Error = "OOM command not allowed when used memory > 'maxmemory'."
	errNoAuth      Error = "NOAUTH Authentication required."
	errCrossSlot   Error = "CROSSSLOT Keys in request don't hash to the same slot"
	errTimeout     Error = "ERR timeout is not an integer or out of range"
	errTimeoutNeg  Error = "ERR timeout is negative"
)

func wrongArity(name string) error {
	return Error("ERR wrong number of arguments for '" + name + "' command")
}

// invalidExpire is the answer to an expiry that is not positive or overflows.
func invalidExpire(name string) error {
	return Error("ERR invalid expire time in '" + name + "' command")
}

// unknownCommand quotes the beginning of what was sent, as Redis does.
func unknownCommand(args [][]byte) error {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", clip(a, 128-b.Len()))
	}
	return Error(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", clip(args[0], 128), b.String()))
}

func unknownSubcommand(parent string, name []byte) error {
	return Error(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", clip(name, 128), strings.ToUpper(parent)))
}

// unknownSubcommandOrArity is what parents that look their subcommands up themselves answer.
func unknownSubcommandOrArity(parent string, name []byte) error {
	return Error(fmt.Sprintf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.", clip(name, 128), parent))
}

// notAllowed is the answer to a command that a protected option switches off.
func notAllowed(name, option string) error {
	return Error(fmt.Sprintf("ERR %s command not allowed. If the %s option is set to \"local\", you can run it from a local connection, "+
		"otherwise you need to set this option in the configuration file, and then restart the server.", name, option))
}

// clip returns at most n bytes of what C's %.*s would print of b: up to its first NUL.
func clip(b []byte, n int) string {
	for i, c := range b {
		if c == 0 {
			b = b[:i]
			break
		}
	}
	return string(b[:min(len(b), max(n, 0))])
}
