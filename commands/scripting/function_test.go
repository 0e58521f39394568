package scripting_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestFunction(t *testing.T) {
	h := servertest.New(t)
	h.Want("FUNCTION LIST", []any{})
	h.Want("FUNCTION LIST WITHCODE LIBRARYNAME x*", []any{})
	h.Want("FUNCTION LIST LIBRARYNAME", commands.Error("ERR library name argument was not given"))
	h.Want("FUNCTION LIST WITHCODE withcode", commands.Error("ERR Unknown argument withcode"))
	h.Want("FUNCTION STATS", []any{
		"running_script", nil, "engines", []any{"LUA", []any{"libraries_count", 0, "functions_count", 0}},
	})
	h.Want("FUNCTION DUMP", "\n\x00]\x9b\\@\x0f\x7f\xa2\xda")
	h.Want("FUNCTION FLUSH ASYNC", servertest.OK)
	h.Want("FUNCTION FLUSH now", commands.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option"))
	h.Want("FUNCTION FLUSH SYNC SYNC", commands.Error("ERR unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP."))
	const instead = "(cellserver has no functions: use SCRIPT LOAD and EVALSHA)"
	h.Want("FUNCTION LOAD x", commands.Error("ERR unknown subcommand 'LOAD'. Try FUNCTION HELP. "+instead))
	h.Want("FCALL f 0", commands.Error("ERR unknown command 'FCALL', with args beginning with: 'f' '0' "+instead))
}
