package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/server"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestChecksOf: a request over HTTP has the checks and the statistics of other clients.
func TestChecksOf(t *testing.T) {
	w := newWeb(t, "--requirepass", "secret", "--slowlog-log-slower-than", "0")
	w.Do("AUTH secret")
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	w.get("/check/api?key=ann")
	require.Equal(t, 429, w.get("/check/api?key=ann").Status)
	require.Equal(t, "allowed=1,limited=1,shadow_limited=0", w.Info("throttle")["rule_api"])
	require.Contains(t, w.Info("commandstats")["cmdstat_cl.mcheck"], "calls=2")
	w.Want("CL.TOP", []any{[]any{"ann", 1, 0}})
	var commands []any
	for _, entry := range w.Do("SLOWLOG GET 128").([]any) {
		commands = append(commands, fmt.Sprint(entry.([]any)[3]))
	}
	require.Contains(t, commands, "[CL.MCHECK 1 api ann EXPLAIN]")

	w.Do("CONFIG SET maxmemory 1")
	require.Equal(t, []any{503, unavailable}, w.get("/check/api?key=bob").code())
	w.Do("CONFIG SET maxmemory 0")
	w.Server.SetCondition(server.Condition{Loading: true})
	got := w.get("/check/api?key=bob")
	require.Equal(t, []any{503, unavailable}, got.code())
	require.Equal(t, "1", got.Header.Get("Retry-After"))
	w.Server.SetCondition(server.Condition{})
	require.Equal(t, 200, w.get("/check/api?key=bob").Status)
}

// TestPause: CLIENT PAUSE holds requests over HTTP back, too.
func TestPause(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 2 60")
	w.Do("CLIENT PAUSE 1000000 WRITE")
	status := make(chan int)
	go func() { status <- w.get("/check/api?key=ann").Status }()
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		out := httptest.NewRecorder()
		w.api.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/check/api?key=ann", nil).WithContext(ctx))
		status <- out.Code
	}()
	select {
	case <-status:
		require.Fail(t, "the server is paused")
	case <-time.After(20 * time.Millisecond):
	}
	leave()
	require.Equal(t, 503, <-status, "this client has left")
	w.Do("CLIENT UNPAUSE")
	require.Equal(t, 200, <-status)
	require.Equal(t, "1", w.Do("GET api:{ann}:window"), "the other command did not run")
	require.Equal(t, 200, w.get("/check/api?key=ann").Status, "both lines work again")
}

// TestKilled: a request after CLIENT KILL gets a new connection to the server.
func TestKilled(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 9 60")
	for range 4 {
		w.get("/check/api?key=ann")
	}
	require.Equal(t, int64(2), w.Do("CLIENT KILL TYPE normal SKIPME yes"))
	for range 4 {
		require.Equal(t, 200, w.get("/check/api?key=ann").Status)
	}
	require.Equal(t, "8", w.Do("GET api:{ann}:window"))
}

// slowLog is a log on a disk that the test writes.
type slowLog struct {
	at   atomic.Uint64
	safe chan bool
}

func (l *slowLog) Begun() uint64    { return l.at.Add(1) }
func (l *slowLog) ReadsWait() bool  { return false }
func (l *slowLog) Mark() uint64     { return 0 }
func (l *slowLog) Wait(uint64) bool { return <-l.safe }

// TestRepliesWait: a reply leaves once its change is safe. If the change is lost, the reply does not say that the action is
// allowed.
func TestRepliesWait(t *testing.T) {
	log := &slowLog{safe: make(chan bool)}
	w := newWebOn(t, servertest.NewAt(t, &servertest.Edge{Positions: log}), log)
	w.Do("CL.RULE SET api CL.WINDOW 3 60")
	var waiting sync.WaitGroup
	var allowed, lost atomic.Int64
	for range 3 { // more than there are lines
		waiting.Go(func() {
			switch w.get("/check/api?key=ann").Status {
			case 200:
				allowed.Add(1)
			case 503:
				lost.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return w.Do("GET api:{ann}:window") == "3" }, time.Minute, time.Millisecond)
	require.Zero(t, allowed.Load())
	require.Equal(t, 429, w.get("/check/api?key=ann").Status, "a refusal changes nothing, and waits for nothing")
	log.safe <- true
	log.safe <- false
	log.safe <- true
	waiting.Wait()
	require.Equal(t, []int64{2, 1}, []int64{allowed.Load(), lost.Load()})
}

// TestFollower: a node that does not lead names the one that does.
func TestFollower(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	w := newWebOn(t, h, nil)
	got := w.get("/check/api?key=ann")
	require.Equal(t, []any{503, notLeader}, got.code())
	require.Equal(t, "10.0.0.2:6379", got.Body["leader"])
	cluster.Now.Groups[0].Leader = -1
	require.Equal(t, []any{503, unavailable}, w.get("/check/api?key=ann").code())
}
