package keys

import "cellserver/server/servertest"

const ok = servertest.OK
