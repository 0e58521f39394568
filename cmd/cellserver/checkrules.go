package main

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/cmd/cellserver/app"
)

// checkRules is `cellserver --check-rules FILE`. It reads a rules-file as the server does, and prints the
// names of its rules.
func checkRules(args []string) error {
	if len(args) != 1 {
		return errors.New("--check-rules needs the path of a rules-file: cellserver --check-rules rules.yaml")
	}
	names, err := app.CheckRules(args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s is right. Its rules: %d%s\n",
		args[0], len(names), strings.Join(append([]string{""}, names...), "\n  "))
	return nil
}
