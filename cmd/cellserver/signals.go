package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stopOnSignal returns a context that ends with the first SIGTERM or SIGINT. The second one ends the process
// at once with exit code 1.
func stopOnSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(1)
	}()
	return ctx
}

// onHangup calls reload after each SIGHUP, until the process ends.
func onHangup(reload func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			reload()
		}
	}()
}

// goOnWithoutReader lets writes to standard output fail if nobody reads it any more, as Redis does. Otherwise
// the next line of the log would end the process.
func goOnWithoutReader() { signal.Ignore(syscall.SIGPIPE) }
