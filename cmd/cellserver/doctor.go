package main

import (
	"errors"
	"fmt"
	"os"

	"cellserver/cmd/cellserver/doctor"
	"cellserver/internal/config/configload"
)

// examine is `cellserver --doctor HOST:PORT [...]`. It prints how the server at this address is, and what to do. The other
// arguments are directives: requirepass has the password. --user NAME right after the address is the user who asks.
func examine(args []string) error {
	if len(args) == 0 {
		return errors.New("--doctor needs the address of a server: cellserver --doctor 127.0.0.1:6379")
	}
	address, rest, as := args[0], args[1:], doctor.Login{}
	if len(rest) > 0 && rest[0] == "--user" {
		if len(rest) == 1 {
			return errors.New("--user needs the name of a user: cellserver --doctor 127.0.0.1:6379 --user ann --requirepass secret")
		}
		as.User, rest = rest[1], rest[2:]
	}
	cfg, _, err := configload.Load(rest, os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	as.Password = cfg.RequirePass
	text, err := doctor.Examine(address, as)
	if err == nil {
		fmt.Print(text)
	}
	return err
}
