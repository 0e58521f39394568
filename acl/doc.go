// Package acl says who may run which command: users, their passwords, and their rules in the language of
// Redis 7's ACL. It knows no connection and no file.
//
//	selector.go  the commands that rules name, and what one set of rules allows: commands, keys, channels
//	rules.go     the rules of a selector: +get, +@read, ~key:*
//	definition.go, modify.go  a user: passwords, selectors, and the words that change them
//	describe.go  a user as words again
//	check.go     whether a user may run a command
//	user.go      a user whose definition changes while its connections live
//	users.go     all users; file.go reads all of them from lines
//
// Invariants: a definition never changes once a user has it. Its description is a definition with the same
// rights. A user that may do everything has no limits: the check of its commands is one comparison. Memory
// is bounded by the constants of selector.go.
//
// Locks: Users.mu guards the names, and orders all changes. A check takes no lock.
package acl
