package server_test

import (
	_ "cellserver/commands/all"
	"cellserver/commands/commandtest"
)

const ok = commandtest.OK
