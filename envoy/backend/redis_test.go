package backend

import (
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/envoy/count"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	"github.com/stretchr/testify/require"
)

// newRedis starts a Redis, and a backend that counts in it by a clock of its own.
func newRedis(t *testing.T) (count.Counter, *time.Time) {
	port, now := porttest.Free(t), noon
	startRedis(t, port)
	b, err := OverRESP(RESPOptions{URL: fmt.Sprint("127.0.0.1:", port), Now: func() time.Time { return now }})
	require.NoError(t, err)
	await(t, b)
	return b, &now
}

func startRedis(t *testing.T, port int) *processtest.Process {
	p := processtest.Start(t, exec.Command(processtest.Installed(t, "redis-server"),
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()))
	p.Await(fmt.Sprint("127.0.0.1:", port))
	return p
}

// TestRedis: without our engine hits count by INCRBY, and the keys expire with their windows.
func TestRedis(t *testing.T) {
	b, now := newRedis(t)
	left := 50 * time.Second
	r := count.Request{Hits: []count.Hit{hit("a", 3, 2), hit("b", 9, 0), hit("a", 3, 2)}}
	require.Equal(t, []count.Result{result(0, 2, false, left), result(0, 0, false, left), result(2, 4, true, left)}, asked(t, b, r))
	client := b.(*overRESP).live.Load().client
	keys, err := client.Do(t.Context(), client.B().Keys().Pattern("*").Build()).AsStrSlice()
	require.NoError(t, err)
	require.Len(t, keys, 2)
	for _, key := range keys {
		ttl, err := client.Do(t.Context(), client.B().Pttl().Key(key).Build()).AsInt64()
		require.NoError(t, err)
		require.InDelta(t, 51_000, ttl, 5_000)
	}
	*now = noon.Add(minute)
	require.Equal(t, []count.Result{result(0, 1, false, left)}, asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 1)}}))
	month := count.Hit{Key: "a", Limit: 1, Calendar: "month", Zone: "Europe/Berlin", Hits: 1}
	require.Equal(t, []count.Result{result(0, 1, false, 2*24*time.Hour+39530*time.Second)}, asked(t, b, count.Request{Hits: []count.Hit{month}}))
}

// TestACellserverTakesThePlaceOfARedis: all copies count in the same way, those too that knew the Redis.
func TestACellserverTakesThePlaceOfARedis(t *testing.T) {
	port := porttest.Free(t)
	redis := startRedis(t, port)
	old, err := OverRESP(RESPOptions{URL: fmt.Sprint("127.0.0.1:", port)})
	require.NoError(t, err)
	await(t, old)
	redis.Stop(syscall.SIGKILL)
	processtest.Start(t, nodeCommand(t, port)).Await(fmt.Sprint("127.0.0.1:", port))
	require.Eventually(t, func() bool {
		isReady, s := old.Ready() == nil, old.(*overRESP).live.Load()
		return isReady && s != nil && s.engine
	}, time.Minute, time.Millisecond)
	next, err := OverRESP(RESPOptions{URL: fmt.Sprint("127.0.0.1:", port)})
	require.NoError(t, err)
	await(t, next)
	week := count.Request{Hits: []count.Hit{{Key: "a", Limit: 1, Period: 364 * 24 * time.Hour, Hits: 1}}}
	require.False(t, asked(t, old, week)[0].Over)
	require.True(t, asked(t, next, week)[0].Over)
}

// TestUserWithoutInfo: many a store keeps its users from the commands of @dangerous. INFO is one of them. In a
// Redis the rights of docs/envoy.md are enough.
func TestUserWithoutInfo(t *testing.T) {
	inRedis, _ := newRedis(t)
	inCluster, c := newRESP(t, RESPOptions{Type: Cluster}, "--cluster-enabled", "yes")
	c.set(noon)
	for b, rights := range map[count.Counter]string{
		inRedis: "+client|setname +command|info +ping +get +incrby +pexpire", inCluster: "+@all -@dangerous",
	} {
		client := b.(*overRESP).live.Load().client
		set := append([]string{"ACL", "SETUSER", "ann", "on", ">secret", "~*"}, strings.Fields(rights)...)
		require.NoError(t, client.Do(t.Context(), client.B().Arbitrary(set...).Build()).Error())
		anns, err := OverRESP(RESPOptions{URL: b.(*overRESP).options.InitAddress[0], Auth: "ann:secret", Now: func() time.Time { return noon }})
		require.NoError(t, err)
		await(t, anns)
		request := count.Request{Hits: []count.Hit{hit("a", 3, 1)}}
		for i, store := range []count.Counter{anns, b} {
			n := uint64(i)
			require.Equal(t, []count.Result{result(n, n+1, false, 50*time.Second)}, asked(t, store, request))
		}
		request.AllOrNone = true
		require.False(t, asked(t, anns, request)[0].Over)
	}
}

// TestRedisSaturates: theirs gives a hit back for an addend of 2^64-1, and fails for a count below 0.
func TestRedisSaturates(t *testing.T) {
	b, _ := newRedis(t)
	r := count.Request{Hits: []count.Hit{hit("a", 3, math.MaxUint64)}}
	for range 3 {
		require.True(t, asked(t, b, r)[0].Over)
	}
	r.Hits[0].Hits = 1
	require.True(t, asked(t, b, r)[0].Over)
	asked(t, b, count.Request{Hits: []count.Hit{hit("used", 3, 1)}})
	asked(t, b, count.Request{Hits: []count.Hit{hit("used", 3, math.MaxUint64)}})
	require.True(t, asked(t, b, count.Request{Hits: []count.Hit{hit("used", 3, 1)}})[0].Over)
}

// TestRedisAllOrNone: a request that does not fit counts nothing, also not in its shadows.
func TestRedisAllOrNone(t *testing.T) {
	b, _ := newRedis(t)
	shadow := hit("s", 1, 1)
	shadow.Shadow = true
	r := count.Request{AllOrNone: true, Hits: []count.Hit{hit("a", 5, 1), shadow, hit("b", 2, 1)}}
	for range 2 {
		asked(t, b, r)
	}
	left := 50 * time.Second
	require.Equal(t, []count.Result{result(2, 2, false, left), result(2, 2, true, left), result(2, 2, true, left)}, asked(t, b, r))
	got := asked(t, b, count.Request{AllOrNone: true, Hits: []count.Hit{shadow}})
	require.Equal(t, []count.Result{result(2, 3, true, left)}, got)
}

// TestRedisHasNoEngine: what needs the engine is an error that says so.
func TestRedisHasNoEngine(t *testing.T) {
	b, _ := newRedis(t)
	back, log := hit("a", 3, 1), hit("a", 3, 1)
	back.GiveBack, log.Algorithm = true, count.Log
	for _, h := range []count.Hit{back, log} {
		_, err := b.Count(t.Context(), count.Request{Hits: []count.Hit{h}})
		require.ErrorIs(t, err, count.ErrUnsupported)
		require.ErrorContains(t, err, "let REDIS_URL name a cellserver, or leave it out")
	}
}

// TestStoreChanges: where a cellserver was, a Redis answers later.
func TestStoreChanges(t *testing.T) {
	port := porttest.Free(t)
	server := processtest.Start(t, nodeCommand(t, port))
	b, err := OverRESP(RESPOptions{URL: fmt.Sprint("127.0.0.1:", port)})
	require.NoError(t, err)
	await(t, b)
	require.True(t, b.(*overRESP).live.Load().engine)
	server.Stop(syscall.SIGKILL)
	startRedis(t, port)
	r := count.Request{Hits: []count.Hit{hit("a", 3, 1)}}
	require.Eventually(t, func() bool {
		got, err := b.Count(t.Context(), r)
		return err == nil && got[0].After > 0
	}, time.Minute, time.Millisecond)
	require.False(t, b.(*overRESP).live.Load().engine)
}
