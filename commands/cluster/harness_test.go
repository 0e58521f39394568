package cluster

import "cellserver/server/servertest"

const ok = servertest.OK
