package app

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/server"
)

// lifecycle is the state of Run.
type lifecycle struct {
	begun  atomic.Bool                // Run was called
	phase  atomic.Int32               // starting, serving or stopping
	stop   chan commands.ShutdownMode // from SHUTDOWN to Run; has room for one
	notify func(state string) error   // tells the service manager; nil if there is none
	greet  func(text string)          // greets the person who starts the server; may be nil
}

// The phases of a server.
const (
	starting = iota
	serving
	stopping
)

func newLifecycle(notify func(state string) error, greet func(text string)) lifecycle {
	return lifecycle{stop: make(chan commands.ShutdownMode, 1), notify: notify, greet: greet}
}

// The states that a service manager hears.
const (
	notifyReady    = "READY=1"
	notifyStopping = "STOPPING=1"
)

// enter begins a phase, and tells the service manager its state.
func (a *App) enter(phase int32, state string) {
	a.phase.Store(phase)
	if a.notify == nil {
		return
	}
	if err := a.notify(state); err != nil {
		a.log.Warn("cannot notify the service manager: check NOTIFY_SOCKET", "state", state, "error", err)
	}
}

// Run loads the data and serves until ctx ends or a client sends SHUTDOWN. Then it saves the data, if there
// are save points, and drains the connections for up to shutdown-timeout. Its error says why the data could
// not be loaded or saved. An App runs once.
func (a *App) Run(ctx context.Context) error {
	if a.begun.Swap(true) {
		return errors.New("this server has run before: make a new one")
	}
	defer a.sockets.Inherited.Close()
	a.ruleURL.Await(ctx)
	err := a.load(ctx)
	if err == nil && a.member != nil {
		err = a.member.Start()
	}
	if err != nil {
		a.giveUp(err)
		return errors.Join(err, a.stopMember())
	}
	a.enter(serving, notifyReady)
	if a.greet != nil {
		a.greet(greeting(a.sockets.Addresses(), a.server.Config(), !a.server.Users().Default.Open()))
	}
	a.log.Info("ready to accept connections", "version", commands.Version, "addresses", a.sockets.Addresses())
	warnOfHTTPUser(&a.log, a.server.Users(), a.server.Config())
	background, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { a.newBackground().run(background) })
	running.Go(func() { a.disk.tick(background, &a.log) })
	go a.watchFiles(background) // the stop does not wait for it: its file system may not answer
	running.Go(func() { a.ruleURL.Run(background) })
	mode, refused := a.waitForStop(ctx)
	a.enter(stopping, notifyStopping)
	a.giveWay()
	a.drain(mode)
	cancel()
	running.Wait()
	refused = errors.Join(refused, a.stopMember())
	err = a.disk.Stop(mode.Save, mode.NoSave)
	a.log.Info("stopped")
	if mode.Force {
		return refused
	}
	return errors.Join(refused, err)
}

// giveUp ends a start that failed. Clients may have connected during the load. The caller prints the reason,
// so only a logfile gets it here.
func (a *App) giveUp(reason error) {
	if a.server.Config().LogFile != "" {
		a.log.Error("the start failed", "error", reason)
	}
	a.closeDoors(0, 0)
}

// newBackground makes the background jobs.
func (a *App) newBackground() *background {
	return &background{
		log: &a.log, clock: a.clock, server: a.server, store: a.store,
		transport: &a.transport, peers: &a.peers,
		expiry: a.newExpiry(),
	}
}

// loadingGrace is how long clients wait for the data. After that time the server accepts them and answers
// LOADING.
const loadingGrace = time.Second

// load loads the data and accepts clients.
func (a *App) load(ctx context.Context) error {
	a.server.SetCondition(server.Condition{Loading: true})
	a.api.ready.Store(true)
	loaded := make(chan error, 1)
	go func() { loaded <- a.startDisk(ctx) }()
	var err error
	select {
	case err = <-loaded:
	case <-time.After(loadingGrace):
		a.sockets.AcceptClients()
		return <-loaded
	}
	if err == nil {
		a.sockets.AcceptClients()
	}
	return err
}

// waitForStop waits for SHUTDOWN or the end of ctx, or until the cluster refuses this node, which is an
// error. As in Redis, the server continues if ctx ends and the data cannot be saved. Then only SHUTDOWN
// stops it; a second signal ends the process.
func (a *App) waitForStop(ctx context.Context) (mode commands.ShutdownMode, refused error) {
	var refusals <-chan error
	if a.member != nil {
		refusals = a.member.Refused()
	}
	select {
	case mode := <-a.stop:
		return mode, nil
	case err := <-refusals:
		return commands.ShutdownMode{Now: true, NoSave: true}, err
	case <-ctx.Done():
	}
	defer a.server.EndScripts(a.shutdownTimeout())() // the snapshot waits for them
	if a.disk.PrepareStop(false, false) != nil {
		a.log.Error("not stopping, because the data could not be saved: free disk space and send SHUTDOWN, " +
			"or stop without a snapshot by SHUTDOWN NOSAVE or a second signal")
		return <-a.stop, nil
	}
	return mode, nil
}

func (a *App) shutdownTimeout() time.Duration {
	return time.Duration(a.server.Config().ShutdownTimeout) * time.Second
}

// drain closes the listeners. Then it waits until every connection has its replies, and closes the
// connections. With SHUTDOWN NOSAVE no script keeps it waiting.
func (a *App) drain(mode commands.ShutdownMode) {
	timeout := a.shutdownTimeout()
	if mode.Now {
		timeout = 0
	}
	forScripts := timeout
	if mode.NoSave {
		forScripts = 0
	}
	a.log.Info("stopping", "clients", a.server.Clients(), "timeout", timeout)
	if cut := a.closeDoors(timeout, forScripts); cut && !mode.Now {
		a.log.Warn("some clients did not read their replies in time and were disconnected")
	}
}

// closeDoors closes all listeners and connections. Clients get these times for their replies and scripts. It
// reports whether it cut a client off.
func (a *App) closeDoors(timeout, forScripts time.Duration) (cut bool) {
	defer a.server.EndScripts(forScripts)()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	a.sockets.Close()
	if err := a.peers.doors.Close(); err != nil {
		a.log.Warn("proxy-port did not close", "error", err)
	}
	a.exporter.Stop(ctx)
	a.api.stop(ctx)
	cut = a.transport.Shutdown(ctx) != nil
	a.following.Stop()
	if a.peers.sidecar != nil {
		a.peers.sidecar.SettleUp(ctx)
		a.peers.sidecar.Close()
	}
	return cut
}

// shutdown implements SHUTDOWN. It returns an error if the server continues.
func (a *App) shutdown(mode commands.ShutdownMode) error {
	mode.Save = mode.Save && a.peers.sidecar == nil // it has no keys, and a file there has those of another server
	if err := a.disk.PrepareStop(mode.Save, mode.NoSave); err != nil && !mode.Force {
		return err
	}
	select {
	case a.stop <- mode:
	default: // another client sent SHUTDOWN before
	}
	return nil
}
