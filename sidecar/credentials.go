package sidecar

import (
	"errors"

	"cellserver/commands"
	"cellserver/router"
)

// identityIn returns the user that AUTH or HELLO names, and the words of HELLO without it. It reports false
// if the words name none, or if there is an error in them. The words of HELLO are nil after an error.
func identityIn(name string, args [][]byte) (id router.Identity, rest [][]byte, ok bool) {
	if name == "auth" {
		switch len(args) {
		case 2:
			return router.Identity{Password: string(args[1])}, nil, true
		case 3:
			return router.Identity{Name: string(args[1]), Password: string(args[2])}, nil, true
		}
		return id, nil, false
	}
	if len(args) > 1 && string(args[1]) != "2" && string(args[1]) != "3" {
		return id, nil, false // the error comes before AUTH
	}
	rest = append(rest, args[:min(2, len(args))]...)
	for i := 2; i < len(args); i += 2 {
		switch {
		case i+2 < len(args) && commands.Is(args[i], "auth"):
			id, ok = router.Identity{Name: string(args[i+1]), Password: string(args[i+2])}, true
			i++
		case i+1 < len(args) && commands.Is(args[i], "setname") && commands.ValidName(args[i+1]):
			rest = append(rest, args[i], args[i+1])
		default:
			return id, nil, false
		}
	}
	return id, rest, ok
}

// outcome says what the answer of the hub means for the bound of guesses.
func outcome(err error) commands.Outcome {
	switch no, refused := errors.AsType[router.Refusal](err); {
	case err == nil:
		return commands.Right
	case refused && no.IsFinal():
		return commands.Wrong
	}
	return commands.Unknown
}
