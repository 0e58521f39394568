package strings

import "cellserver/server/servertest"

const ok = servertest.OK
