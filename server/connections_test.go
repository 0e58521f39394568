package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/resp/transport"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// listen serves the harness's server on a port, for tests with many connections.
func listen(t testing.TB, h *servertest.Harness) (addr string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &transport.Server{Accept: func(c *transport.Conn) (resp.Handler, string) { return h.Server.Connect(c), "" }}
	go server.Serve(ln)
	t.Cleanup(func() { require.NoError(t, server.Shutdown(context.Background())) })
	return ln.Addr().String()
}

// cachingClient keeps the values that it reads until a message tells it to drop them.
type cachingClient struct {
	*resptest.Client
	cache map[string]any
}

// get reads a key through the cache.
func (c *cachingClient) get(key string) {
	if _, cached := c.cache[key]; cached {
		c.Do("PING")
	} else {
		value := c.Do("GET", key)
		c.drop() // keys of messages before the reply
		c.cache[key] = value
		return
	}
	c.drop()
}

// drop removes the keys of all messages.
func (c *cachingClient) drop() {
	for _, push := range c.Pushes {
		keys, some := push[1].([]any)
		if !some {
			clear(c.cache)
		}
		for _, key := range keys {
			delete(c.cache, key.(string))
		}
	}
	c.Pushes = nil
}

// TestTrackingNeverLeavesACacheStale: in any interleaving, a cache that follows its messages ends
// with the values of the server.
func TestTrackingNeverLeavesACacheStale(t *testing.T) {
	h := servertest.New(t)
	addr := listen(t, h)
	random := rand.New(randtest.Source(t))
	const keys, rounds, readers, writers = 8, 150, 6, 3
	key := func(r *rand.Rand) string { return fmt.Sprint("k", r.IntN(keys)) }

	var clients []*cachingClient
	var reading, writing sync.WaitGroup
	for i := range readers {
		c := &cachingClient{resptest.Dial(t, addr), map[string]any{}}
		c.Do("HELLO", 3)
		c.Do("CLIENT", "TRACKING", "ON")
		clients = append(clients, c)
		r := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
		reading.Go(func() {
			for range rounds {
				c.get(key(r))
			}
		})
	}
	for i := range writers {
		c := resptest.Dial(t, addr)
		r := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
		writing.Go(func() {
			for range rounds {
				switch r.IntN(4) {
				case 0:
					c.Do("DEL", key(r), key(r))
				case 1:
					c.Write([]byte("MULTI\r\nINCR " + key(r) + "\r\nINCR " + key(r) + "\r\nEXEC\r\n"))
					for range 4 {
						c.Recv()
					}
				default:
					c.Do("INCR", key(r))
				}
			}
		})
	}
	reading.Wait()
	writing.Wait()
	for _, c := range clients {
		c.Do("PING")
		c.Do("PING") // the messages may follow the first reply
		c.drop()
		for key, value := range c.cache {
			require.Equal(t, c.Do("GET", key), value, key)
		}
	}
}

// TestClientsWatchedAndKilledUnderLoad runs LIST, KILL, MONITOR and TRACKING at once, for the race
// detector.
func TestClientsWatchedAndKilledUnderLoad(t *testing.T) {
	h := servertest.New(t)
	addr := listen(t, h)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			for round := range 15 {
				c := resptest.Dial(t, addr)
				script := "HELLO 3\r\nCLIENT SETNAME c\r\nCLIENT TRACKING ON\r\nGET k\r\nINCR k\r\nMULTI\r\nGET k\r\nEXEC\r\n"
				if (i+round)%3 == 0 {
					script += "RESET\r\nMONITOR\r\n"
				}
				c.NetConn().Write([]byte(script)) // fails if the connection is killed before
				for range 4 {
					if _, err := c.TryRecv(); err != nil {
						break // killed
					}
				}
				c.Close()
			}
		})
	}
	admin := resptest.Dial(t, addr)
	for range 30 {
		require.Contains(t, admin.Do("CLIENT", "LIST"), "id=")
		require.IsType(t, int64(0), admin.Do("CLIENT", "KILL", "TYPE", "normal"))
		admin.Do("CLIENT", "PAUSE", 0, "WRITE")
		admin.Do("FLUSHALL")
	}
	group.Wait()
	for h.Server.Clients() > 2 {
		admin.Do("CLIENT", "KILL", "TYPE", "normal")
	}
	require.Zero(t, h.Server.Followers())
}
