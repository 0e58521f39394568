// Package multipop is what the commands share that take from the first of several keys. Lists and sorted sets
// have such commands, of which some wait.
//
// Invariants: an error changes nothing. A command waits only if none of its keys exists.
//
// Locks: none. The caller of a command has locked all of its keys.
package multipop
