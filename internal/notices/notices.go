package notices

import _ "embed"

// Text has, for each module that is linked into the server, its name, its version and its licence.
//
//go:embed NOTICES.txt
var Text string
