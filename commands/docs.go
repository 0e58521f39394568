package commands

import (
	_ "embed"
	"encoding/json"
)

// Docs is what clients may read about a command: COMMAND DOCS and HELP. The file docs.json has it for each
// full name. A subcommand has the group of its parent.
type Docs struct {
	Group      Group
	Since      string // the first Redis version with the command; "" if Redis does not have it
	Summary    string // one sentence
	Usage      string // the arguments in the notation of Redis: "key [NX | XX]"
	Complexity string // "O(1)"
	Deprecated Deprecation
	Help       []string // lines that a subcommand adds to the HELP of its parent
}

// Deprecation says since which Redis version a command is deprecated, and which command replaces it. The zero
// Deprecation means that the command is not deprecated.
type Deprecation struct{ Since, By string }

// Group is the family of a command in the documentation, in the terms of COMMAND DOCS.
type Group string

// The families of commands.
const (
	GroupConnection  Group = "connection"
	GroupGeneric     Group = "generic"
	GroupServer      Group = "server"
	GroupString      Group = "string"
	GroupSortedSet   Group = "sorted-set"
	GroupHash        Group = "hash"
	GroupSet         Group = "set"
	GroupList        Group = "list"
	GroupTransaction Group = "transactions"
	GroupPubSub      Group = "pubsub"
	GroupCluster     Group = "cluster"
	GroupLimiter     Group = "limiter"
	GroupScripting   Group = "scripting"
)

//go:embed docs.json
var docsText []byte

var docs = func() (all map[string]Docs) {
	if err := json.Unmarshal(docsText, &all); err != nil {
		panic(err)
	}
	return all
}()
