package limits

import "cellserver/server/servertest"

const ok = servertest.OK
