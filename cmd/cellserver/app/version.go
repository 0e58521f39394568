package app

import "cellserver/commands"

// Version is the server's own version, for those above.
const Version = commands.Version
