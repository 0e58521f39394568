// Command publish gives the tree the names under which its owner publishes it. The script
// deploy/publish-prepare runs it.
//
//	main.go     the order: names, a copy, edits, checks, and the change of the tree
//	names.go    the names, and which of them are refused
//	edits.go    the edits of Go: go.mod, imports and the profile of the compiler
//	texts.go    the edits of all other files: each has a line that must be there
//	checks.go   no old name is left, the versions agree, and all modules build
//	upload.go   the commands that upload
//
// Invariants: the tree changes only if every check passed in the copy. An edit that finds nothing to change
// is an error, so a changed file cannot leave an old name. There are no locks.
package main
