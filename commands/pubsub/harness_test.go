package pubsub

import "cellserver/server/servertest"

const ok = servertest.OK
