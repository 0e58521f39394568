// Package all registers every family of commands. The server's edge imports it, and so do
// tests that need more than one family.
//
// A new family of commands is one line here.
//
// Invariant: every family is here.
//
// The package has no state and takes no locks.
package all

import (
	_ "cellserver/commands/admin"
	_ "cellserver/commands/cluster"
	_ "cellserver/commands/connection"
	_ "cellserver/commands/hashes"
	_ "cellserver/commands/keys"
	_ "cellserver/commands/limits"
	_ "cellserver/commands/lists"
	_ "cellserver/commands/pubsub"
	_ "cellserver/commands/scripting"
	_ "cellserver/commands/sets"
	_ "cellserver/commands/sortedsets"
	_ "cellserver/commands/strings"
	_ "cellserver/commands/transactions"
)
