package sidecar

import (
	"errors"

	"cellserver/commands"
	"cellserver/router"
)

// identityIn returns the user that AUTH or HELLO names, and the words of HELLO without it. It reports false
// if the words name none, or if there is an error in them.
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
	if version := string(args[min(1, len(args)-1)]); version != "2" && version != "3" {
		return id, nil, false // the error comes before AUTH
	}
	for i := 2; i < len(args); i++ {
		if i+2 < len(args) && commands.Is(args[i], "auth") {
			rest = append(append(rest, args[:i]...), args[i+3:]...)
			return router.Identity{Name: string(args[i+1]), Password: string(args[i+2])}, rest, true
		}
		i++ // the name after SETNAME
	}
	return id, nil, false
}

// outcome says what the answer of the hub means for the bound of guesses.
func outcome(err error) commands.Outcome {
	var no router.Refusal
	switch {
	case err == nil:
		return commands.Right
	case errors.As(err, &no) && no.IsFinal():
		return commands.Wrong
	}
	return commands.Unknown
}
