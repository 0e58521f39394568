package admin

import (
	"cellserver/commands/commandtest"
	"testing"
)

func TestLastSave(t *testing.T) { commandtest.New(t).Want("LASTSAVE", int(commandtest.Start/1e9)) }
