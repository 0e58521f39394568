// Package script is the engine of EVAL: it runs Lua scripts as Redis 7 does. It knows Lua and the values of
// replies, and nothing of sockets, commands or the store. The calls of a script go to the Caller of its run.
//
//	engine.go                 Engine: an interpreter and its compiled scripts
//	source.go                 a script's text: its SHA-1, the line #!lua and its flags
//	run.go                    a run, from keys and arguments to a reply or an error
//	api.go, api_call.go       the library redis, which is also server
//	to_lua.go                 the reply of a command as a value of Lua
//	from_lua.go               a value of Lua as the reply of the script
//
// Below it are five packages:
//
//	lua51     numbers, formats and patterns of Lua 5.1
//	syntax    the parser
//	machine   the interpreter
//	stdlib    the libraries of Lua
//	lib       cjson, cmsgpack, struct and bit
//
// Invariants: a run ends with one reply or one error. It leaves nothing to the next run of its engine.
//
// Bounds, for one run: machine.DefaultLimits bound what a script makes; Check of the run ends it after any
// time. A source has at most 1 MiB. Compiling takes less than a second. A reply has at most 1,000 levels.
//
// An engine serves one caller at a time and takes no locks. Engines share nothing.
package script
