package commands

import "testing"

func TestRole(t *testing.T) { newHarness(t).want("ROLE", []any{"master", 0, []any{}}) }
