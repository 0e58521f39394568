// Package stdlib has the libraries of Lua 5.1: the basic functions, table, string, math and coroutine, as Redis has them.
// There is no io, no os, no debug and no package.
//
//	stdlib.go                        Open
//	base.go, base_load.go            the basic functions
//	table.go, table_sort.go          table
//	strings.go, strings_match.go     string
//	mathlib.go, random.go            math
//	coroutine.go                     coroutine
//
// All of it is ours: the libraries of gopher-lua have other words in their errors, other numbers, and no bounds.
//
// Invariant: each function counts steps and bytes of the machine.
//
// The package takes no locks.
package stdlib
