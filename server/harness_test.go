package server_test

import (
	_ "cellserver/commands/all"
	"cellserver/server/servertest"
)

const ok = servertest.OK
