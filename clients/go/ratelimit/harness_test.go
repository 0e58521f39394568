package ratelimit

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// A server is a running cellserver whose clock stands still.
type server struct {
	*testserver.Server
	t   *testing.T
	rdb *redis.Client
}

func start(t *testing.T) *server {
	t.Helper()
	s := &server{Server: testserver.Start(t), t: t}
	s.rdb = s.client(nil)
	require.Equal(t, "OK", s.do("DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000))
	return s
}

// client returns a client that a loaded machine does not make late. change may change its options.
func (s *server) client(change func(*redis.Options)) *redis.Client {
	options, err := clientOptions(s.URL)
	require.NoError(s.t, err)
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = time.Minute, time.Minute, time.Minute, time.Minute
	if change != nil {
		change(options)
	}
	rdb := redis.NewClient(options)
	s.t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// limiter returns a limiter that a loaded machine does not make late.
func (s *server) limiter(o Options) *Limiter {
	s.t.Helper()
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	l, err := New(s.rdb, o)
	require.NoError(s.t, err)
	return l
}

func (s *server) do(args ...any) any {
	s.t.Helper()
	reply, err := s.rdb.Do(context.Background(), args...).Result()
	require.NoError(s.t, err, args)
	return reply
}

// questions is how many commands have asked rules since the start.
func (s *server) questions() int {
	s.t.Helper()
	var calls int
	_, _ = fmt.Sscanf(infoLine(s.do("INFO", "commandstats").(string), "cmdstat_cl.mcheck:calls="), "%d", &calls)
	return calls
}

// fixed returns a rule with one key for all requests.
func fixed(name, key string) Rule {
	return Rule{name, func(*http.Request) string { return key }}
}
