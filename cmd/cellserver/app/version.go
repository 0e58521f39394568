package app

import "cellserver/commands"

// Version is the version of cellserver.
const Version = commands.Version
