package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestModule(t *testing.T) {
	h := servertest.New(t)
	h.Want("MODULE LIST", []any{})
	h.Want("MODULE LIST x", commands.WrongArity("module|list").(commands.Error))
	h.Want("MODULE LOAD /lib/redis_cell.so", commands.Error("ERR unknown subcommand 'LOAD'. Try MODULE HELP. "+
		"(cellserver loads no modules: docs/migrating.md says what it has of theirs)"))
}
