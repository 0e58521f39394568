package connection

import "cellserver/server/servertest"

const ok = servertest.OK
