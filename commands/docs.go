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
	Arguments  []Argument
	Complexity string // "O(1)"
	Deprecated Deprecation
	Help       []string // lines that a subcommand adds to the HELP of its parent
}

// Deprecation says since which Redis version a command is deprecated, and which command replaces it. The zero
// Deprecation means that the command is not deprecated.
type Deprecation struct{ Since, By string }

// The types of arguments that the server or a test distinguishes, in the terms of COMMAND DOCS.
const (
	ArgumentOneOf = "oneof"      // one of Arguments
	ArgumentBlock = "block"      // all of Arguments, in their order
	ArgumentToken = "pure-token" // Token, and no value
	ArgumentKey   = "key"
)

// Argument is one argument of a command, as COMMAND DOCS and Redis's own files describe it.
type Argument struct {
	Name          string
	Type          string
	Token         string // the word before the value, or the word itself; "" for none
	KeySpec       int    `json:"key_spec_index"` // for a key: which key specification of the command has it
	Optional      bool
	Multiple      bool // it repeats
	MultipleToken bool `json:"multiple_token"` // Token repeats with it
	Arguments     []Argument
}

// Flags returns the flags of the argument, in the terms of COMMAND DOCS.
func (a *Argument) Flags() (flags []string) {
	if a.Optional {
		flags = append(flags, "optional")
	}
	if a.Multiple {
		flags = append(flags, "multiple")
	}
	if a.MultipleToken {
		flags = append(flags, "multiple_token")
	}
	return flags
}

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
