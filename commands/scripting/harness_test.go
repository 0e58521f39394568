package scripting

import "cellserver/server/servertest"

const ok = servertest.OK
