package scripting

// The tests of this family call commands of other families, too. They cannot import commands/all,
// because it imports this package.
import (
	_ "cellserver/commands/admin"
	_ "cellserver/commands/cluster"
	_ "cellserver/commands/connection"
	_ "cellserver/commands/keys"
	_ "cellserver/commands/limits"
	_ "cellserver/commands/pubsub"
	_ "cellserver/commands/sortedsets"
	_ "cellserver/commands/strings"
	_ "cellserver/commands/transactions"
	"cellserver/server/servertest"
)

const ok = servertest.OK
