// Package app wires the server together and owns its start and stop. It knows no flags
// and no signals, so tests run the whole server in their own process.
package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"cellserver/commands"
	"cellserver/config"
	"cellserver/resp"
	"cellserver/store"
)

// App is one server: New opens its listeners, Run serves until its context ends.
type App struct {
	config    *config.Config
	log       *slog.Logger
	commands  *commands.Server
	transport *resp.Server
	listeners []net.Listener
}

// New makes a server and opens its listeners.
func New(cfg *config.Config, log *slog.Logger) (*App, error) {
	clk := newClock()
	a := &App{config: cfg, log: log}
	a.commands = commands.New(commands.Options{
		Store:  store.New(store.Options{Databases: cfg.Databases, Seed: uint64(time.Now().UnixNano())}),
		Clock:  clk,
		Log:    log,
		Config: cfg,
		RunID:  runID(),
	})
	a.transport = &resp.Server{Log: log, Accept: a.accept}
	if err := a.listen(); err != nil {
		return nil, err
	}
	return a, nil
}

// runID returns 40 random hexadecimal digits.
func runID() string {
	var b [20]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (a *App) accept(c *resp.Conn) (resp.Handler, string) {
	return a.commands.Connect(c), ""
}

func (a *App) listen() error {
	for _, host := range a.config.Bind {
		optional := strings.HasPrefix(host, "-")
		ln, err := net.Listen("tcp", net.JoinHostPort(strings.TrimPrefix(host, "-"), strconv.Itoa(a.config.Port)))
		if err != nil {
			if optional {
				continue
			}
			return fmt.Errorf("listen: %w", err)
		}
		a.listeners = append(a.listeners, ln)
	}
	return nil
}

// Addr returns the address of the first listener.
func (a *App) Addr() net.Addr { return a.listeners[0].Addr() }

// Run serves until ctx ends, then drains.
func (a *App) Run(ctx context.Context) error {
	for _, ln := range a.listeners {
		go a.transport.Serve(ln)
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.Background(), time.Duration(a.config.ShutdownTimeout)*time.Second)
	defer cancel()
	return a.transport.Shutdown(stop)
}
