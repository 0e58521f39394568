package differential

import (
	"slices"
	"strings"
)

// A difference is intended. Every other difference is a fault.
type difference struct {
	why     string
	applies func(args []string, redis, ours reply) bool
}

// differences lists all intended differences.
var differences = []difference{
	{
		why: "a value's encoding is ours: what reads as an integer is one, and embstr or raw follows from the length alone; no two keys share a value",
		applies: func(args []string, redis, ours reply) bool {
			return isCommand(args, "OBJECT", "ENCODING", "REFCOUNT") && !redis.isError() && redis.kind == ours.kind
		},
	},
	{
		why: "Redis measures a key that is over until it meets it",
		applies: func(args []string, redis, ours reply) bool {
			return isCommand(args, "MEMORY", "USAGE") && ours.null && redis.kind == ':'
		},
	},
	{
		why: "CLIENT SETINFO and NO-TOUCH came with Redis 7.2; clients send them unasked",
		applies: func(args []string, _, _ reply) bool {
			return isCommand(args, "CLIENT", "SETINFO", "NO-TOUCH")
		},
	},
	{
		why: "Redis reads a count of keys as far as it is a number, so 1e20 is 1; we name no keys of a call that cannot run",
		applies: func(args []string, _, ours reply) bool {
			return isCommand(args, "COMMAND", "GETKEYS", "GETKEYSANDFLAGS") && ours.text == "ERR Invalid arguments specified for command"
		},
	},
}

func knownDifference(args []string, redis, ours reply) bool {
	return slices.ContainsFunc(differences, func(d difference) bool { return d.applies(args, redis, ours) })
}

// isCommand reports whether args are this command, with one of these subcommands if there are any.
func isCommand(args []string, name string, subcommands ...string) bool {
	if !strings.EqualFold(args[0], name) {
		return false
	}
	if len(subcommands) == 0 {
		return true
	}
	return len(args) > 1 && slices.ContainsFunc(subcommands, func(s string) bool { return strings.EqualFold(s, args[1]) })
}
