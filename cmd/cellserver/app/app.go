package app

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"net"
	"os"
	"time"

	"cellserver/cluster"
	"cellserver/cmd/cellserver/clock"
	"cellserver/cmd/cellserver/files"
	"cellserver/cmd/cellserver/follow"
	"cellserver/cmd/cellserver/listen"
	"cellserver/cmd/cellserver/rulefile"
	"cellserver/cmd/cellserver/ruleurl"
	_ "cellserver/commands/all" // registers every command
	"cellserver/httpapi/line"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/resp/transport"
	"cellserver/server"
	"cellserver/server/report"
	"cellserver/server/scripts"
	"cellserver/store"
)

// Options are what an App is made of. Only Config must be set.
type Options struct {
	Config     *config.Config       // New does not change it
	Warnings   []configload.Warning // of configload.Load, for the log
	ConfigFile string               // INFO shows it, CONFIG REWRITE writes it; "" for none
	// Log gets the log lines. If it is nil, loglevel and logfile decide.
	Log *slog.Logger
	// Sockets listen already (socket activation). Each one has an address of the configuration. Run closes
	// them.
	Sockets []*os.File
	// Greet gets a text for the person who starts the server, when the listeners and the data stand. It may
	// be nil.
	Greet func(text string)
	// Notify tells the service manager a state, as sd_notify(3) describes them; nil if there is no service
	// manager.
	Notify func(state string) error
	// Embedded is a server without listeners for clients. The program asks it by [App.Commands].
	Embedded bool
}

// App is one server: New opens its listeners, Run serves until the stop. Several can run in one process.
type App struct {
	log    logger
	clock  *clock.Clock
	store  *store.Store
	server *server.Server
	disk   *disk

	entrance
	rules    rulefile.File
	ruleURL  ruleurl.Source
	exporter listen.WebDoor // of metrics
	api      webAPI
	others

	lifecycle
}

// others are the servers with which this one shares its keys.
type others struct {
	member    *cluster.Member // nil if the server is in no cluster
	scripts   scripts.Scripts // in a cluster
	following follow.Following
}

// entrance has the listeners through which clients connect.
type entrance struct {
	transport    transport.Server
	sockets      listen.Sockets
	certificates listen.Certificates
	peers        peers
}

// New makes a server and opens its listeners: from then on connections wait for Run.
// Its error is one line for the user.
func New(o Options) (*App, error) {
	cfg := o.Config.Clone()
	if err := files.ResolveDir(cfg); err != nil {
		return nil, err
	}
	a := &App{clock: clock.New(), lifecycle: newLifecycle(o.Notify, o.Greet)}
	if err := a.log.open(o.Log, cfg); err != nil {
		return nil, err
	}
	a.log.warnings(o.Warnings)
	lowerMaxClients(&a.log, cfg)
	a.certificates.Log = a.log.Logger
	if err := a.certificates.Load(cfg); err != nil {
		return nil, err
	}
	if err := a.wire(cfg, o.ConfigFile); err != nil {
		return nil, err
	}
	if o.Embedded {
		a.sockets.Close()
	}
	if err := a.open(cfg, o.Sockets); err != nil {
		a.sockets.Close()
		a.exporter.Close()
		a.api.Close()
		a.sockets.Inherited.Close()
		a.stopMember()
		return nil, err
	}
	return a, nil
}

// wire makes the parts and connects them. Only the log and the certificates exist before.
func (a *App) wire(cfg *config.Config, configFile string) (err error) {
	a.store = store.New(store.Options{
		Databases: cfg.Databases, Seed: binary.NativeEndian.Uint64(random(8)),
	})
	configureStore(a.store, cfg)
	a.disk = newDisk(a.store, a.clock, &a.log, cfg)
	a.store.CountExternal(a.disk.Journal().Held)
	run := hex.EncodeToString(random(20))
	if a.member, err = a.newMember(cfg, run); err != nil {
		return err
	}
	a.store.CountExternal(a.transport.Memory)
	process := processInfo(configFile, a.usage)
	if len(cfg.Upstream.Nodes) > 0 {
		process.Sidecar = a.sidecarReport
	}
	o := server.Options{
		Store: a.store, Clock: a.clock, Log: a.log.Logger, Config: cfg, RunID: run,
		Configured: a.configure, Files: server.Files{Rewrite: rewriter(process.ConfigFile), Users: newUserFile(cfg)}, Shutdown: a.shutdown, Process: process,
		Persistence: a.disk.Manager, Positions: a.disk.Journal(),
	}
	barrier := transport.Barrier(a.disk.Journal())
	if a.member != nil {
		barrier = a.joinCluster(&o)
	}
	if len(cfg.Upstream.Nodes) == 0 {
		o.Replication = &a.following
	}
	a.server = server.New(o)
	a.initFollowing()
	a.disk.connect(a.server, a.following.Start)
	a.peers = peers{log: &a.log, server: a.server, transport: &a.transport}
	if a.peers.sidecar, err = a.newSidecar(cfg); err != nil {
		return err
	}
	a.transport = transport.Server{
		Log: a.log.Logger, Accept: a.peers.accept, Barrier: barrier, Monotonic: a.clock.Monotonic,
	}
	a.sockets = listen.Sockets{
		Log: a.log.Logger, Serve: a.transport.Serve, Config: a.server.Config, Certificates: &a.certificates,
	}
	configureClock(a.clock, cfg)
	a.initRules()
	a.server.WatchRules(a.ruleSource)
	metrics := a.withHealth(metricsHandler(a.server.Metrics, a.server.Config))
	a.exporter.Init("metrics", metrics, scrapeBounds, a.log.Logger, &a.certificates)
	api := a.withHealth(a.api.handler(a.server, a.peers.sidecar, barrier, cfg))
	a.api.Init("http", api, apiBounds(cfg), a.log.Logger, &a.certificates)
	return nil
}

// open reads the users and the rules-file, and opens the listeners for clients and for metrics.
func (a *App) open(cfg *config.Config, sockets []*os.File) (err error) {
	if a.sockets.Inherited, err = listen.Inherit(sockets); err != nil {
		return err
	}
	a.exporter.OpenBy(a.sockets.Inherited.ListenHTTP)
	a.api.OpenBy(a.sockets.Inherited.ListenHTTP)
	if err := a.server.DefineUsers(); err != nil {
		return files.Advised(err)
	}
	if err := a.configureRules(cfg); err != nil {
		return err
	}
	if err := a.sockets.Configure(cfg); err != nil {
		return err
	}
	if err := a.listenForPeers(cfg); err != nil {
		return err
	}
	if err := a.exporter.Configure(cfg.Metrics); err != nil {
		return err
	}
	if err := a.api.Configure(cfg); err != nil {
		return err
	}
	return a.sockets.Inherited.Unused()
}

// random returns n random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// usage returns what the process uses now, and the traffic of its clients.
func (a *App) usage() report.Usage {
	u, traffic := processUsage(), a.transport.Traffic()
	u.Input, u.Output, u.Reads, u.Writes = traffic.Input, traffic.Output, traffic.Reads, traffic.Writes
	return u
}

// Addr returns the address of the first listener. The order is that of bind: plain TCP, TLS, the unix socket.
func (a *App) Addr() net.Addr { return a.sockets.Addresses()[0] }

// Commands runs commands inside the process, as the user of http-user. It runs none after Run has ended.
func (a *App) Commands() *line.Lines { return a.api.lines }

// Reload reads the certificates again, and the rules-file within a second, even if it is the same. Or it asks the
// rules-url. SIGHUP calls it. The log has the result.
func (a *App) Reload() {
	a.reloadCertificates()
	a.rules.Reload()
	a.ruleURL.Wake()
}

// reloadCertificates applies the configuration again, and so reads the files of TLS.
func (a *App) reloadCertificates() {
	before := a.certificates.Current()
	if err := a.server.Reconfigure(); err != nil {
		a.log.Warn("the configuration could not be applied again: correct what the error names", "error", err)
	}
	if a.certificates.Current() != before {
		a.log.Info("the certificates were read again")
	}
}

// pollCertificates reads the files of TLS again if they have changed. It warns of a certificate that ends.
func (a *App) pollCertificates() {
	if a.certificates.Changed(a.server.Config()) {
		a.reloadCertificates()
	}
	a.certificates.WarnOfEnd(a.server.Config(), time.Now())
}
