// Package lua51 has the numbers, formats and patterns of Lua 5.1, as the C library on Linux prints and reads
// them.
//
//	number.go         a number as text and back: %.14g, %.17g, strtod
//	power.go          powers and logarithms, with twice the digits of a float
//	format.go         one directive of string.format, on package fmt
//	pattern.go        patterns: find, match, gmatch and gsub stand on Match
//	pattern_item.go   single characters, classes and sets
//
// Invariant: a result is what Lua 5.1 of Redis 7 gives on Linux.
//
// The package knows no interpreter. Functions are pure, there is no state, and there are no locks.
package lua51
