package admin

import (
	"cellserver/server/servertest"
	"testing"
)

func TestRole(t *testing.T) { servertest.New(t).Want("ROLE", []any{"master", 0, []any{}}) }
