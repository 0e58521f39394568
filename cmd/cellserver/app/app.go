// Package app wires the server together and owns its start and stop. It knows no flags
// and no signals, so tests run the whole server in their own process.
package app

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
	_ "cellserver/commands/all" // registers every command
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/limiters/rules"
	"cellserver/persistence"
	"cellserver/persistence/aof"
	"cellserver/resp/transport"
	"cellserver/server"
	"cellserver/store"
)

// Options are what an App is made of. Only Config must be set.
type Options struct {
	Config     *config.Config       // is not changed
	Warnings   []configload.Warning // of configload.Load, for the log
	ConfigFile string               // that was read, "" for none; INFO shows it, CONFIG REWRITE writes it
	// Log is where messages go. Nil: where loglevel and logfile say.
	Log *slog.Logger
}

// App is one server: New opens its listeners, Run serves until it is told to stop.
// Several can live in one process.
type App struct {
	log      *slog.Logger
	level    slog.LevelVar // loglevel, as far as the log is our own
	clock    *clock
	store    *store.Store
	commands *server.Server
	disk     *persistence.Manager
	replay   aof.Replayer

	transport transport.Server
	sockets   sockets
	tls       certificates
	accepting sync.Mutex // guards the UserData of connections, and is held while a client is admitted
	rules     ruleFile
	exporter  exporter

	begun atomic.Bool                // Run was called
	stop  chan commands.ShutdownMode // from SHUTDOWN to Run; has room for one
}

// New makes a server and opens its listeners: from then on connections wait for Run.
// Its error is one line for whoever started the server.
func New(o Options) (*App, error) {
	cfg := o.Config.Clone()
	if err := settleDir(cfg); err != nil {
		return nil, err
	}
	a := &App{log: o.Log, clock: newClock(), stop: make(chan commands.ShutdownMode, 1)}
	if err := a.openLog(cfg); err != nil {
		return nil, err
	}
	a.logWarnings(o.Warnings)
	a.fitClients(cfg)
	if err := a.tls.load(cfg); err != nil {
		return nil, err
	}
	a.store = store.New(store.Options{
		Databases: cfg.Databases, Seed: binary.NativeEndian.Uint64(random(8)), Pinned: rules.Holds,
	})
	a.configureStore(cfg)
	a.keep(cfg)
	process := a.process(o.ConfigFile)
	a.commands = server.New(server.Options{
		Store: a.store, Clock: a.clock, Log: a.log, Config: cfg, RunID: hex.EncodeToString(random(20)),
		Configured: a.configured, Rewrite: rewriter(process.ConfigFile), Shutdown: a.shutdown, Process: process,
		Persistence: a.disk,
	})
	if err := a.rules.follow(a, cfg); err != nil {
		return nil, err
	}
	a.replay = a.commands.Replayer()
	a.transport = transport.Server{Log: a.log, Accept: a.accept, WriteLimit: writeLimit, Barrier: a.disk.Journal()}
	if err := a.listen(cfg); err != nil {
		a.sockets.close()
		return nil, err
	}
	return a, nil
}

// listen opens the listeners for clients, and for metrics.
func (a *App) listen(cfg *config.Config) error {
	if err := a.sockets.follow(a, cfg); err != nil {
		return err
	}
	return a.exporter.follow(a, cfg)
}

// random returns n random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// Addr returns the address of the first listener, of several in the order of bind: plain
// TCP before TLS before the unix socket.
func (a *App) Addr() net.Addr { return a.sockets.addresses()[0] }

// Run loads what is on disk and serves until ctx ends or a client says SHUTDOWN. Then it
// saves what is to be saved and drains: commands that run finish and their replies leave,
// for as long as shutdown-timeout allows. Its error says why the data could not be loaded
// or saved. A server that has stopped does not run again.
func (a *App) Run(ctx context.Context) error {
	if a.begun.Swap(true) {
		return errors.New("this server has run before")
	}
	if err := a.load(ctx); err != nil {
		a.drain(commands.ShutdownMode{Now: true})
		return err
	}
	a.log.Info("ready to accept connections", "version", commands.Version, "addresses", a.sockets.addresses())
	background, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { a.background(background) })
	running.Go(func() { a.pulse(background) })
	mode := a.untilStopped(ctx)
	a.drain(mode)
	cancel()
	running.Wait()
	err := a.disk.Stop(mode.Save, mode.NoSave)
	a.log.Info("stopped")
	if mode.Force {
		return nil
	}
	return err
}

// patientFor is how long clients wait for the data before they are let in and told that it
// is being loaded.
const patientFor = time.Second

// load loads what is on disk, and lets clients in.
func (a *App) load(ctx context.Context) error {
	a.commands.SetCondition(server.Condition{Loading: true}) // whoever is let in too early is told so
	loaded := make(chan error, 1)
	go func() { loaded <- a.disk.Start(ctx) }()
	var err error
	select {
	case err = <-loaded:
	case <-time.After(patientFor):
		a.sockets.serve(a)
		return <-loaded
	}
	if err == nil {
		a.sockets.serve(a)
	}
	return err
}

// untilStopped waits for the end. Like Redis, the server does not end when it is told to
// by a signal and cannot save: another one ends the process at once.
func (a *App) untilStopped(ctx context.Context) commands.ShutdownMode {
	select {
	case mode := <-a.stop:
		return mode
	case <-ctx.Done():
	}
	if a.disk.PrepareStop(false, false) != nil {
		a.log.Error("not stopping, as that would lose data: make room to save it, or send the signal again, or SHUTDOWN NOSAVE")
		return <-a.stop
	}
	return commands.ShutdownMode{}
}

// drain ends the connections.
func (a *App) drain(mode commands.ShutdownMode) {
	patience := time.Duration(a.commands.Config().ShutdownTimeout) * time.Second
	if mode.Now {
		patience = 0
	}
	a.log.Info("stopping", "clients", a.commands.Clients(), "patience", patience)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a.sockets.close()
	a.exporter.stop(ctx)
	if err := a.transport.Shutdown(ctx); err != nil {
		a.log.Warn("some clients did not take their replies in time and were cut off")
	}
}

// shutdown is SHUTDOWN.
func (a *App) shutdown(mode commands.ShutdownMode) error {
	if err := a.disk.PrepareStop(mode.Save, mode.NoSave); err != nil && !mode.Force {
		return err
	}
	select {
	case a.stop <- mode:
	default: // someone was faster
	}
	return nil
}

// configured makes a new configuration effective: CONFIG SET asks for it, and its error
// refuses. What needs no help from here, every reader of the configuration sees at once.
func (a *App) configured(old, cfg *config.Config) error {
	if cfg.Dir != old.Dir {
		if err := settleDir(cfg); err != nil {
			return &commands.Refusal{Directive: "dir", Reason: err}
		}
	}
	if most := mostClients(); cfg.MaxClients > old.MaxClients && cfg.MaxClients > most {
		return &commands.Refusal{Directive: "maxclients", Reason: fmt.Errorf(
			"The operating system is not able to handle the specified number of clients, try with %d", most)}
	}
	if err := a.tls.follow(a, old, cfg); err != nil {
		return err
	}
	if err := a.disk.Configure(settings(cfg)); err != nil {
		return &commands.Refusal{Directive: "dir", Reason: err}
	}
	if err := a.rules.follow(a, cfg); err != nil {
		return &commands.Refusal{Directive: "rules-file", Reason: err}
	}
	if err := a.exporter.follow(a, cfg); err != nil {
		return refuseMetrics(old, cfg, err)
	}
	if err := a.sockets.follow(a, cfg); err != nil {
		return refuseToListen(old, cfg, err)
	}
	a.level.Set(levels[cfg.LogLevel])
	a.configureStore(cfg)
	return nil
}

// refuseToListen blames the directive that asked for an address that cannot be had.
func refuseToListen(old, cfg *config.Config, err error) error {
	switch {
	case !slices.Equal(old.Bind, cfg.Bind):
		return &commands.Refusal{Directive: "bind", Reason: fmt.Errorf("Failed to bind to specified addresses: %w", err)}
	case old.Port != cfg.Port:
		return &commands.Refusal{Directive: "port", Reason: fmt.Errorf("Unable to listen on this port: %w", err)}
	}
	return &commands.Refusal{Directive: "tls-port", Reason: fmt.Errorf("Unable to listen on this port: %w", err)}
}

// configureStore passes on what the store needs to know.
func (a *App) configureStore(cfg *config.Config) {
	policy, err := store.ParsePolicy(string(cfg.MaxMemoryPolicy))
	if err != nil {
		panic(err) // the configuration has no other policies than the store
	}
	a.store.UseLFU(policy.LFU())
	a.store.SetLFU(cfg.LFULogFactor, cfg.LFUDecayTime)
	a.store.SetCompactLimits(int(cfg.ZSetMaxListpackEntries), int(cfg.ZSetMaxListpackValue))
}
