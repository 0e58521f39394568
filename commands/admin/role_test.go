package admin

import (
	"cellserver/commands/commandtest"
	"testing"
)

func TestRole(t *testing.T) { commandtest.New(t).Want("ROLE", []any{"master", 0, []any{}}) }
