package backend

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// The types of REDIS_TYPE.
const (
	Single   = "SINGLE"
	Sentinel = "SENTINEL"
	Cluster  = "CLUSTER"
)

// RESPOptions say where to count.
type RESPOptions struct {
	SocketType string // tcp or unix
	URL        string // host:port; of SENTINEL "master,sentinel,sentinel"; of CLUSTER "node,node"
	Type       string // SINGLE, SENTINEL or CLUSTER; empty is SINGLE

	Auth, SentinelAuth string // "password" or "user:password"
	TLS                *tls.Config
	Timeout            time.Duration // of a call whose caller sets no deadline, at most [patience]
	Prefix             string        // of all keys
	Now                func() time.Time
	Opened             func() (closed func()) // called for each connection, may be nil
}

// patience is how long a call waits if nobody says how long, and how long a connection may hang.
const patience, hang = 2 * time.Second, 500 * time.Millisecond

// clientOption returns the options of the client library. With the times that it sets, a dead or a hanging
// leader is left within a second.
func (o *RESPOptions) clientOption() (c rueidis.ClientOption, err error) {
	c = rueidis.ClientOption{
		TLSConfig: o.TLS, AlwaysRESP2: true, DisableCache: true, ClientName: "ratelimit",
		Dialer: net.Dialer{Timeout: hang, KeepAlive: hang}, ConnWriteTimeout: hang,
		ClusterOption: rueidis.ClusterOption{ShardsRefreshInterval: hang},
		// One connection to each node: the commands of callers at the same time share its reads and writes.
		PipelineMultiplex: -1,
		InitAddress:       strings.Split(o.URL, ","),
		DialCtxFn:         dialer("tcp", o.Opened),
	}
	if strings.EqualFold(o.SocketType, "unix") {
		c.DialCtxFn = dialer("unix", o.Opened)
	}
	c.Username, c.Password = userOf(o.Auth)
	isURL := strings.Contains(o.URL, "://")
	switch strings.ToUpper(o.Type) {
	case "", Single:
		c.ForceSingleClient = true
		if isURL {
			return c, o.readURL(&c)
		}
	case Sentinel:
		if isURL {
			return c, errors.New("SENTINEL takes no URL: use master,host:port,host:port, and REDIS_AUTH")
		}
		if len(c.InitAddress) < 2 {
			return c, fmt.Errorf("'%s' names no sentinel: use master,host:port,host:port", o.URL)
		}
		c.Sentinel.MasterSet, c.InitAddress = c.InitAddress[0], c.InitAddress[1:]
		c.Sentinel.Username, c.Sentinel.Password = userOf(o.SentinelAuth)
		c.Sentinel.Dialer, c.Sentinel.TLSConfig = c.Dialer, o.TLS
	case Cluster:
		if isURL {
			return c, errors.New("CLUSTER takes no URL: use host:port,host:port, and REDIS_AUTH")
		}
		c.ShuffleInit = true
	default:
		return c, fmt.Errorf("'%s' is not a type: use SINGLE, SENTINEL or CLUSTER", o.Type)
	}
	return c, nil
}

// readURL reads the address from a URL such as redis://user:password@host:6379/0.
func (o *RESPOptions) readURL(c *rueidis.ClientOption) error {
	from, err := rueidis.ParseURL(o.URL)
	if err != nil {
		// A path with an at sign has the rest of a password with a slash.
		if u, wrong := url.Parse(o.URL); wrong == nil && !strings.Contains(u.RequestURI(), "@") {
			return fmt.Errorf("'%s' is not a URL of a Redis: %w", u.Redacted(), err)
		}
		return errors.New("REDIS_URL is not a URL: use redis://user:password@host:port, or host:port")
	}
	c.InitAddress, c.SelectDB = from.InitAddress, from.SelectDB
	if from.DialCtxFn != nil { // of unix://
		c.DialCtxFn = dialer("unix", o.Opened)
	}
	if o.Auth == "" {
		c.Username, c.Password = from.Username, from.Password
	}
	if from.TLSConfig != nil && o.TLS == nil {
		c.TLSConfig = from.TLSConfig
	}
	return nil
}

// userOf splits "user:password". A text without a colon is a password.
func userOf(auth string) (user, password string) {
	if user, password, ok := strings.Cut(auth, ":"); ok {
		return user, password
	}
	return "", auth
}

// store is what answers at the other end.
type store struct {
	client rueidis.Client
	engine bool        // it has CL.MWINDOW
	tagged atomic.Bool // it needs all keys of a command in one slot
}

// connection is a store that may not have answered yet.
type connection struct {
	options rueidis.ClientOption
	live    atomic.Pointer[store] // nil: not connected yet
	problem atomic.Pointer[string]
	tried   chan struct{} // closed after the first attempt
	first   sync.Once     // closes tried

	running context.Context
	stop    context.CancelFunc
	ended   sync.WaitGroup
}

// newConnection connects in the background.
func newConnection(o rueidis.ClientOption) *connection {
	ctx, stop := context.WithCancel(context.Background())
	c := &connection{options: o, running: ctx, stop: stop, tried: make(chan struct{})}
	c.begin(errors.New("not connected yet"))
	return c
}

// await waits for the first attempt to connect.
func (c *connection) await(ctx context.Context) error {
	select {
	case <-c.tried:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin connects in the background. Until then calls get the error.
func (c *connection) begin(until error) {
	c.fail(until)
	c.ended.Go(c.connect)
}

// again asks once more who answers, because it is no longer the store.
func (c *connection) again(s *store) {
	if c.live.CompareAndSwap(s, nil) {
		s.client.Close()
		c.begin(errors.New("another store answers: it is asked what it can do"))
	}
}

// retry is how long the background waits after an attempt that failed.
const retry = 200 * time.Millisecond

// connect tries until somebody answers.
func (c *connection) connect() {
	ctx := c.running
	for {
		options := c.options
		options.InitAddress = slices.Clone(c.options.InitAddress) // it is shuffled
		client, err := rueidis.NewClient(options)
		if err == nil {
			var s *store
			if s, err = look(ctx, client); err == nil {
				c.live.Store(s)
				c.first.Do(func() { close(c.tried) })
				return
			}
			client.Close()
		}
		c.fail(err)
		c.first.Do(func() { close(c.tried) })
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
	}
}

// look asks what a client is connected to.
func look(ctx context.Context, client rueidis.Client) (*store, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	engine, err := hasEngine(ctx, client)
	if err != nil {
		return nil, err
	}
	s := &store{client: client, engine: engine}
	if !s.engine { // a Redis needs no tags
		return s, nil
	}
	info, err := client.Do(ctx, client.B().Info().Section("cluster").Build()).ToString()
	isDenied := isReply(err, "NOPERM ") // this user may not ask. Tags are right in every server
	if err != nil && !isDenied {
		return nil, err
	}
	s.tagged.Store(isDenied || strings.Contains(info, "cluster_enabled:1"))
	return s, nil
}

// hasEngine asks whether a server has CL.MWINDOW.
func hasEngine(ctx context.Context, client rueidis.Client) (bool, error) {
	asks := client.B().Arbitrary("COMMAND", "INFO").Args("cl.mwindow").Build()
	list, err := client.Do(ctx, asks).ToArray()
	return len(list) == 1 && list[0].IsArray(), err
}

func (c *connection) fail(err error) {
	text := err.Error()
	c.problem.Store(&text)
}

// store returns the store, or an error if it has not answered yet.
func (c *connection) store() (*store, error) {
	if s := c.live.Load(); s != nil {
		return s, nil
	}
	addresses := strings.Join(c.options.InitAddress, ", ")
	return nil, fmt.Errorf("no connection to %s: %s", addresses, *c.problem.Load())
}

// close ends the connection.
func (c *connection) close() {
	c.stop()
	c.ended.Wait()
	if s := c.live.Load(); s != nil {
		s.client.Close()
	}
}
