package proxies

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	requests = 10_000
	clients  = 50
	limit    = 7_000
)

// proxy starts a proxy before a site.
type proxy struct {
	name  string
	start func(s *site, failOpen bool)
}

var proxies = []proxy{{"nginx", (*site).nginx}, {"caddy", (*site).caddy}}

// tally counts replies by their status.
type tally struct {
	mu    sync.Mutex // guards by
	by    map[int]int
	total atomic.Int64
}

func (c *tally) add(status int) {
	c.mu.Lock()
	c.by[status]++
	c.mu.Unlock()
	c.total.Add(1)
}

// load sends requests of many clients through the proxy, and returns the replies by status. at is called after each reply.
func (s *site) load(n int, at func(done int64)) map[int]int {
	s.t.Helper()
	counted := &tally{by: map[int]int{}}
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
			defer client.CloseIdleConnections()
			for left.Add(-1) >= 0 {
				counted.add(get(client, fmt.Sprintf("http://127.0.0.1:%d/", s.front)))
				at(counted.total.Load())
			}
		})
	}
	all.Wait()
	return counted.by
}

// get returns the status of a reply, 0 if there is none.
func get(client *http.Client, url string) int {
	r, err := client.Get(url)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

// TestExactlyTheLimit: exactly as many requests reach the service as the limit admits.
func TestExactlyTheLimit(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			s := newSite(t)
			s.do("CL.RULE", "SET", "api", "CL.WINDOW", limit, 3600)
			p.start(s, false)
			require.Equal(t, map[int]int{http.StatusOK: limit, http.StatusTooManyRequests: requests - limit}, s.load(requests, func(int64) {}))
			require.Equal(t, int64(limit), s.served.Load())

			r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", s.front))
			require.NoError(t, err)
			defer r.Body.Close()
			require.Equal(t, http.StatusTooManyRequests, r.StatusCode)
			require.Contains(t, r.Header.Get("RateLimit-Policy"), fmt.Sprintf(`"api";q=%d;w=3600`, limit))
			require.Contains(t, r.Header.Get("RateLimit"), `"api";r=0;t=`)
			require.NotEmpty(t, r.Header.Get("Retry-After"))
			require.Equal(t, []any{[]any{"127.0.0.1", int64(requests - limit + 1), int64(0)}}, s.do("CL.TOP"), "the key is the address of the client")
		})
	}
}

// TestRestart restarts cellserver during the load. No request above the limit passes, except those that a proxy lets pass
// while nobody counts.
func TestRestart(t *testing.T) {
	for _, p := range proxies {
		for _, failOpen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s fails open %t", p.name, failOpen), func(t *testing.T) {
				s := newSite(t)
				s.do("CL.RULE", "SET", "api", "CL.WINDOW", limit, 3600)
				p.start(s, failOpen)
				var once sync.Once
				restarted := make(chan struct{})
				replies := s.load(requests, func(done int64) {
					if done >= requests/4 {
						once.Do(func() { go s.restart(restarted) })
					}
					if done >= requests-clients {
						<-restarted // so that the last requests come after the restart
					}
				})
				t.Logf("%v", replies)
				s.judge(failOpen, replies)
			})
		}
	}
}

// restart stops cellserver, leaves it stopped for a while, and starts it again.
func (s *site) restart(done chan struct{}) {
	defer close(done)
	s.cellserver.Stop(syscall.SIGTERM)
	time.Sleep(300 * time.Millisecond)
	s.startCellserver()
}

// useUp sends requests until the limit is reached. It returns how many pass. The proxy may not have noticed yet that cellserver
// is back, so other replies do not count.
func (s *site) useUp() (passed int) {
	client := &http.Client{}
	require.Eventually(s.t, func() bool {
		status := get(client, fmt.Sprintf("http://127.0.0.1:%d/", s.front))
		for ; status == http.StatusOK; status = get(client, fmt.Sprintf("http://127.0.0.1:%d/", s.front)) {
			passed++
		}
		return status == http.StatusTooManyRequests
	}, patience, 10*time.Millisecond)
	return passed
}

// judge compares the replies with what cellserver has counted.
func (s *site) judge(failOpen bool, replies map[int]int) {
	t := s.t
	replies[http.StatusOK] += s.useUp()
	passed, lost := replies[http.StatusOK], replies[http.StatusBadGateway]+replies[http.StatusServiceUnavailable]
	t.Logf("%d passed, %d were served, and cellserver has counted %v", passed, s.served.Load(), s.do("GET", "api:{127.0.0.1}:window"))
	var known int
	if failOpen {
		require.Zero(t, lost, "nobody is turned away: %v", replies)
		require.GreaterOrEqual(t, passed, limit-clients)
		known = passed + replies[http.StatusTooManyRequests]
	} else {
		require.NotZero(t, lost, "cellserver was away: %v", replies)
		// cellserver may have counted an action whose reply the stop has cut off.
		require.LessOrEqual(t, passed, limit)
		require.GreaterOrEqual(t, passed, limit-clients)
		known = passed + replies[http.StatusTooManyRequests] + lost
	}
	sum := 0
	for _, n := range replies {
		sum += n
	}
	require.Equal(t, sum, known, "there is no other status: %v", replies)
	require.Equal(t, int64(passed), s.served.Load())
	_, err := fmt.Sscan(s.do("GET", "api:{127.0.0.1}:window").(string), &known)
	require.NoError(t, err)
	require.Equal(t, limit, known, "the restart has kept the limit")
}
