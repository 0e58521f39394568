package admin

import (
	"cellserver/server/servertest"
	"testing"
)

func TestLastSave(t *testing.T) { servertest.New(t).Want("LASTSAVE", int(servertest.Start/1e9)) }
