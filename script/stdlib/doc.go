// Package stdlib has the libraries of Lua 5.1: the basic functions, table, string, math and coroutine, as
// Redis has them. There is no io, no os, no debug and no package.
//
//	open.go, stdlib.go               Open, and what a machine has of the library
//	base.go, base_load.go            the basic functions
//	table.go, table_sort.go          table
//	strings.go, strings_match.go     string
//	mathlib.go, random.go            math
//	coroutine.go                     coroutine
//
// All of it is ours, because the libraries of gopher-lua v1.1.2 differ in what a script can see:
//
//   - numbers: tostring(1/3), tostring(1e15), tonumber("1e1"), math.huge, math.log10(11), and math.random
//     after math.randomseed(1);
//   - texts: string.format("%u", 3), string.format("%5.1f", 1/0), string.format("%q", "\n"), and
//     string.gsub("abc", "b*", "-");
//   - order: table.sort with a function that contradicts itself;
//   - errors: the name and the number of a wrong argument;
//   - bounds: string.rep("x", 1e10), table.concat, gsub and a pattern that never ends.
//
// Invariant: each function counts steps and bytes of the machine.
//
// The package takes no locks.
package stdlib
