// Command cellserver is a rate-limiting server that any Redis client can use.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"cellserver/cmd/cellserver/app"
	"cellserver/config"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cellserver:", err)
		os.Exit(1)
	}
}

func run() error {
	cfg, _, err := config.Load(os.Args[1:], os.Environ(), os.ReadFile)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	a, err := app.New(cfg, slog.Default())
	if err != nil {
		return err
	}
	return a.Run(ctx)
}
