// Package rediserr holds the error replies that Redis 7.0 defines and that several
// packages answer with. Clients compare these texts, so they match Redis to the letter.
//
// Invariant: a text does not change.
//
// The package imports nothing of ours, holds no state and takes no locks.
package rediserr

// Error is an error reply: its code, a space and a sentence, without the leading '-'.
// Source: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
type Error string

// Error returns the text as the client reads it.
func (e Error) Error() string { return string(e) }

// Errors about arguments and about the type of a key.
const (
	Syntax     Error = "ERR syntax error"
	NotInteger Error = "ERR value is not an integer or out of range"
	WrongType  Error = "WRONGTYPE Operation against a key holding the wrong kind of value"
)

// WrongArity is the reply to a call with too few or too many arguments. name is the
// command's full name in lower case, such as "client|kill".
func WrongArity(name string) error {
	return Error("ERR wrong number of arguments for '" + name + "' command")
}
