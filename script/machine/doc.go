// Package machine runs Lua 5.1 as Redis has it: gopher-lua, with its deviations corrected and everything
// bounded. It has no libraries and knows no command of Redis; packages stdlib, lib and script add these.
//
//	machine.go, new.go                 Machine: one interpreter, used again and again
//	limits.go                          the bounds of a script, and what values cost
//	budget.go                          steps and bytes: how a script is stopped
//	compile.go                         source to function
//	call.go                            calls of Lua functions, protected or not
//	errors.go                          errors in the words of Lua 5.1, with positions and names
//	args.go                            arguments of library functions
//	values.go                          values as texts and numbers; the stacks of a thread
//	filled.go                          KEYS and ARGV, filled again for each run
//	frozen.go                          tables that no script can change
//	helpers.go                         what rewritten code calls
//	operators.go                       arithmetic on strings, errors of basic types
//	set.go                             assignment to tables
//	walk.go                            what passing the fields of a table costs
//
// Invariants:
//
//   - Nothing of one call remains in the next one: the globals and the libraries are frozen, and so is the metatable of
//     strings.
//   - A script that is stopped cannot go on: no pcall and no coroutine catches a stop. Its machine is not used again.
//   - Every loop and every call of a function counts a step. Functions that work long count more.
//   - Every string and table that a script makes is counted, roughly. Nothing is given back: the bound is on the sum.
//
// A machine serves one caller at a time and takes no locks.
package machine
