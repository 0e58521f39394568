package transactions

import "cellserver/server/servertest"

const ok = servertest.OK
