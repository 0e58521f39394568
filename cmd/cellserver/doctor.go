package main

import (
	"errors"
	"fmt"
	"os"

	"cellserver/cmd/cellserver/doctor"
	"cellserver/internal/config/configload"
)

// examine is `cellserver --doctor HOST:PORT [...]`. It prints how the server at this address is, and what to do. The other
// arguments are directives: requirepass has the password.
func examine(args []string) error {
	if len(args) == 0 {
		return errors.New("--doctor needs the address of a server: cellserver --doctor 127.0.0.1:6379")
	}
	cfg, _, err := configload.Load(args[1:], os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	text, err := doctor.Examine(args[0], cfg.RequirePass)
	if err == nil {
		fmt.Print(text)
	}
	return err
}
