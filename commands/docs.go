package commands

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Docs is what clients may read about a command, and nothing that the server decides by: COMMAND DOCS and
// HELP. The file docs.json has it for each full name.
type Docs struct {
	Since      string // the first Redis version with the command; "" if Redis does not have it
	Summary    string // one sentence
	Usage      string // the arguments in the notation of Redis: "key [NX | XX]"
	Complexity string // "O(1)"
	Deprecated Deprecation
	Help       []string // lines that a subcommand adds to the HELP of its parent
}

// Deprecation says since which Redis version a command is deprecated, and which command replaces it. The zero
// Deprecation means that the command is not deprecated.
type Deprecation struct{ Since, By string }

//go:embed docs.json
var docsText []byte

// docs parses the file when a client first asks, so that the start of a server does not.
var docs = sync.OnceValue(func() (all map[string]*Docs) {
	if err := json.Unmarshal(docsText, &all); err != nil {
		panic("commands: docs.json: " + err.Error())
	}
	return all
})

// Docs returns the documentation of the command.
func (c *Command) Docs() *Docs { return docs()[c.FullName()] }
