package sidecar_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/internal/promisetest"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/resp/transport"
	"cellserver/router"
	"cellserver/server/servertest"
	"cellserver/sidecar"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// world is a hub and its sidecars in virtual time, with clients that count what is allowed.
type world struct {
	t        *testing.T
	seed     uint64
	rand     *rand.Rand
	begun    time.Time
	hub      *clustertest.Cluster
	stopped  map[*clustertest.Machine]*atomic.Int64 // until when a machine answers nothing, in ns since begun
	sidecars []*beside
	command  []byte
	// reachable says that the hub decides for those who reach it.
	reachable atomic.Bool

	mu      sync.Mutex // guards the fields below
	allowed []promisetest.Action
	refused int
	errors  map[string]int
	reach   []time.Duration // when requests were sent that the hub could have decided, or that were allowed without it
}

// newWorld starts a hub of some nodes, and some sidecars. Call it in a bubble.
func newWorld(t *testing.T, seed uint64, nodes, sidecars int, lost account.Policy, command ...any) *world {
	w := &world{
		t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), begun: time.Now(), command: resptest.Command(command...),
		stopped: map[*clustertest.Machine]*atomic.Int64{}, errors: map[string]int{},
		hub: clustertest.New(t, clustertest.Options{Nodes: nodes, Seed: seed, Now: time.Now}),
	}
	for _, m := range w.hub.Machines {
		w.stopped[m] = new(atomic.Int64)
	}
	w.hub.Leader()
	for i := range sidecars {
		w.sidecars = append(w.sidecars, w.newSidecar(seed+uint64(i)<<32, lost))
	}
	return w
}

// serve answers one connection to a machine.
func (w *world) serve(m *clustertest.Machine, nc net.Conn) {
	defer func() { _ = nc.Close() }()
	session, err := m.Connect()
	if err != nil {
		return
	}
	defer session.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := nc.Read(buffer)
		if err != nil {
			return
		}
		w.waits(m)
		replies, ok := session.Exchange(buffer[:n])
		if !ok {
			return
		}
		w.waits(m)
		if _, err := nc.Write(replies); err != nil {
			return
		}
	}
}

// do runs a command at the hub, not through a sidecar.
func (w *world) do(command string) any {
	session, err := w.hub.Leader().Connect()
	require.NoError(w.t, err)
	defer session.Close()
	replies, err := session.Do(command)
	require.NoError(w.t, err)
	return replies[0]
}

// waits returns once a machine is not stopped.
func (w *world) waits(m *clustertest.Machine) {
	for until := w.stopped[m]; until.Load() > int64(time.Since(w.begun)); {
		time.Sleep(time.Duration(until.Load()) - time.Since(w.begun))
	}
}

// stop makes a machine silent for some time, as SIGSTOP does.
func (w *world) stop(m *clustertest.Machine, d time.Duration) {
	w.stopped[m].Store(int64(time.Since(w.begun) + d))
	m.Pause(true)
	time.Sleep(d)
	m.Pause(false)
}

// kill ends a machine with its connections, and starts it again after some time.
func (w *world) kill(m *clustertest.Machine, d time.Duration) {
	require.NoError(w.t, m.Kill())
	for _, s := range w.sidecars {
		s.line.reset()
	}
	time.Sleep(d)
	require.NoError(w.t, m.Start())
}

// close ends everything in the bubble.
func (w *world) close() {
	for _, s := range w.sidecars {
		s.close()
	}
	w.hub.Close()
}

// beside is a sidecar.
type beside struct {
	world   *world
	seed    uint64
	lost    account.Policy
	line    *line
	clock   clock
	running atomic.Pointer[process]
	paused  atomic.Int64 // until when its clients get nothing, in ns since the world begun
}

// timeout is upstream-timeout.
const timeout = 100 * time.Millisecond

// process is one run of a sidecar.
type process struct {
	sidecar *sidecar.Sidecar
	server  *transport.Server
	clients *line
	listen  *listener
}

// clock is the time of a sidecar's machine: it runs wrong, and its wall clock is wrong.
type clock struct {
	begun time.Time
	rate  atomic.Uint64 // of the clock, less one: the bits of a float64
	wall  time.Duration
}

func (c *clock) now() account.Time {
	past := time.Since(c.begun)
	past += time.Duration(float64(past) * math.Float64frombits(c.rate.Load()))
	return account.Time{Boot: past.Microseconds(), Wall: c.begun.Add(past + c.wall).UnixMicro()}
}

func (w *world) newSidecar(seed uint64, lost account.Policy) *beside {
	b := &beside{world: w, seed: seed, lost: lost, line: newLine(seed)}
	b.clock.begun = w.begun
	b.clock.rate.Store(math.Float64bits((w.rand.Float64() - 0.5) / 1000))
	b.clock.wall = time.Duration(w.rand.Int64N(int64(2*time.Hour))) - time.Hour
	b.start()
	return b
}

// start starts the process of a sidecar.
func (b *beside) start() {
	p := &process{clients: newLine(b.seed + 1), listen: &listener{incoming: make(chan net.Conn), closed: make(chan struct{})}}
	p.clients.base, p.clients.spike = 20*time.Microsecond, 0
	var addresses []string
	for _, m := range b.world.hub.Machines {
		addresses = append(addresses, m.Self.Host+":6379")
	}
	hub := router.New(router.Options{
		Addresses: addresses, Dial: b.dial, Name: "sidecar", Version: "0", Log: slog.New(slog.DiscardHandler),
		Clock:   func() int64 { return b.clock.now().Boot * 1000 },
		Timeout: func() time.Duration { return timeout },
	})
	settings := sidecar.Settings{Settings: account.Settings{Lease: 1000, Keys: 1000}, Lost: b.lost, Timeout: timeout}
	var err error
	local := servertest.New(b.world.t)
	p.sidecar, err = sidecar.New(sidecar.Options{
		Hub: hub, Clock: b.clock.now, Settings: func() sidecar.Settings { return settings }, Guesses: local.Server.Logins(), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(b.world.t, err)
	p.server = &transport.Server{Loops: -1, Log: slog.New(slog.DiscardHandler), Accept: func(c *transport.Conn) (resp.Handler, string) {
		return p.sidecar.Connect(local.Server.Connect(c), c), ""
	}}
	go func() { _ = p.server.Serve(p.listen) }()
	b.running.Store(p)
}

// close ends the process as kill -9 does: nothing is given back.
func (b *beside) close() {
	p := b.running.Swap(nil)
	b.line.reset()
	p.clients.reset()
	p.listen.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.server.Shutdown(ctx)
	p.sidecar.Close()
}

// dial connects to a node of the hub.
func (b *beside) dial(ctx context.Context, address string) (net.Conn, error) {
	for _, m := range b.world.hub.Machines {
		if strings.HasPrefix(address, m.Self.Host+":") {
			if m.Group() == nil {
				return nil, errRefused
			}
			return b.line.dial(ctx, func(nc net.Conn) { b.world.serve(m, nc) })
		}
	}
	return nil, errors.New("no such host: " + address)
}

// listener hands connections of the process to its server.
type listener struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case nc := <-l.incoming:
		return nc, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6379} }

// connect connects a client to the sidecar, nil if it does not run.
func (b *beside) connect() net.Conn {
	p := b.running.Load()
	if p == nil {
		return nil
	}
	nc, err := p.clients.dial(context.Background(), func(nc net.Conn) {
		select {
		case p.listen.incoming <- nc:
		case <-p.listen.closed:
			_ = nc.Close()
		}
	})
	if err != nil {
		return nil
	}
	return nc
}

// client sends the command at random times, so many a second, until a time.
func (b *beside) client(seed uint64, rate float64, until time.Time) {
	random, nc, in := rand.New(rand.NewPCG(seed, 3)), net.Conn(nil), (*bufio.Reader)(nil)
	for next := time.Now(); ; {
		next = next.Add(time.Duration(random.ExpFloat64() / rate * float64(time.Second)))
		time.Sleep(time.Until(next))
		if !time.Now().Before(until) {
			break
		}
		if paused := time.Duration(b.paused.Load()) - time.Since(b.world.begun); paused > 0 {
			time.Sleep(paused)
			next = time.Now()
		}
		if nc == nil {
			if nc = b.connect(); nc == nil {
				continue
			}
			in = bufio.NewReader(nc)
		}
		if !b.ask(nc, in) {
			_ = nc.Close()
			nc = nil
		}
	}
	if nc != nil {
		_ = nc.Close()
	}
}

// recovery is how long after a cut, or after a failure of the hub, sidecars may take to ask again.
const recovery = 1500 * time.Millisecond

// ask sends the command, and notes what becomes of it. It returns false if the connection is broken.
func (b *beside) ask(nc net.Conn, in *bufio.Reader) bool {
	w := b.world
	sent := time.Since(w.begun)
	reached := w.reachable.Load() && !b.line.isBad(recovery)
	if _, err := nc.Write(w.command); err != nil {
		return false
	}
	_ = nc.SetReadDeadline(time.Now().Add(10 * time.Second))
	reply, err := readReply(in)
	w.mu.Lock()
	defer w.mu.Unlock()
	if reached || err == nil && strings.HasPrefix(reply, ":0 ") {
		w.reach = append(w.reach, sent)
	}
	switch {
	case err != nil:
		w.errors[err.Error()]++
		return false
	case strings.HasPrefix(reply, ":0 "):
		w.allowed = append(w.allowed, promisetest.Action{Asked: sent, Answered: time.Since(w.begun)})
	case strings.HasPrefix(reply, ":1 "):
		w.refused++
	default:
		w.errors[reply]++
	}
	return true
}

// readReply reads an error, or an array of integers.
func readReply(in *bufio.Reader) (text string, err error) {
	head, err := in.ReadString('\n')
	if err != nil || !strings.HasPrefix(head, "*") {
		return strings.TrimSpace(head), err
	}
	for range head[1] - '0' {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		text += strings.TrimSpace(line) + " "
	}
	return text, nil
}
