package admin

import "cellserver/server/servertest"

const ok = servertest.OK
