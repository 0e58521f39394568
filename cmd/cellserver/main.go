// Command cellserver is a rate-limiting server that any Redis client can use.
package main

import (
	"errors"
	"fmt"
	"io"
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
	ctx := untilSignal()
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

// fileReader reads configuration files and knows which came first.
type fileReader struct{ first string }

func (r *fileReader) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	if r.first == "" {
		r.first = name
	}
	return os.ReadFile(name)
}
