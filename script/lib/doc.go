// Package lib has the libraries that Redis gives to scripts in addition to those of Lua.
//
//	lib.go                               Open
//	cjson.go, cjson_options.go           cjson: its functions and options
//	cjson_encode.go                      values to JSON
//	cjson_decode.go, cjson_scan.go       JSON to values
//	cmsgpack.go, cmsgpack_decode.go      cmsgpack, on the primitives of tinylib/msgp
//	structs.go, structs_format.go        struct: C structures
//	bit.go                               bit: operations on 32 bits
//
// The options of cjson hold for one run. In Redis they stay for all later scripts.
//
// Invariants: each function counts steps and bytes of the machine. Recursion is bounded.
//
// The package takes no locks.
package lib
