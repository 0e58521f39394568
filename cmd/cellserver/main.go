package main

import (
	"errors"
	"fmt"
	"os"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cellserver:", err)
		os.Exit(1)
	}
}

// run executes the command line. Its error is one line for the user.
func run(args []string) error {
	if len(args) > 0 && args[0] == "--ping" {
		return ping(args[1:])
	}
	var files fileReader
	cfg, warnings, err := configload.Load(args, os.Environ(), files.read)
	switch {
	case errors.Is(err, configload.ErrHelp):
		fmt.Print(config.Usage())
		return nil
	case errors.Is(err, configload.ErrVersion):
		fmt.Println("cellserver", app.Version)
		return nil
	case err != nil:
		return err
	}
	ctx := stopOnSignal()
	a, err := app.New(app.Options{Config: cfg, Warnings: warnings, ConfigFile: files.first})
	if err != nil {
		return err
	}
	onHangup(a.ReloadRules)
	if cfg.LogFile == "" && cfg.LogLevel != config.LogWarning {
		fmt.Print(a.Greeting())
	}
	return a.Run(ctx)
}
