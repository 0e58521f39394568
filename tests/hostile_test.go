package tests

import (
	"bytes"
	"fmt"
	"math/rand"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestHostileBytes lets 64 connections send bytes that are not a request, or almost a request. The server still answers
// other clients. Afterwards it keeps no goroutines and no memory of the hostile connections.
func TestHostileBytes(t *testing.T) { hostileBytes(t, startServer(t), 0) }

// TestHostileBytesAtASidecar sends them to a sidecar.
func TestHostileBytesAtASidecar(t *testing.T) {
	const connections = 2 * 5 // to the hub: for each version of the protocol one for questions and four for commands
	hostileBytes(t, startServer(t, "--upstream", startServer(t)), 2*connections)
}

func hostileBytes(t *testing.T, addr string, kept int) {
	duration := 4 * time.Second
	if testing.Short() {
		duration = 500 * time.Millisecond
	}
	well := resptest.Dial(t, addr)
	require.Equal(t, resptest.Simple("PONG"), well.Do("PING"))
	before := settled()
	first := seed(t)
	deadline := time.Now().Add(duration)
	var wg sync.WaitGroup
	for i := range 64 {
		r := rand.New(rand.NewSource(first + int64(i)))
		wg.Go(func() {
			for time.Now().Before(deadline) {
				attack(t, addr, r)
			}
		})
	}
	for time.Now().Before(deadline) {
		require.Equal(t, resptest.Simple("PONG"), well.Do("PING"))
		now := measure()
		require.Less(t, now.memory, before.memory+256<<20, "memory under attack")
		require.Less(t, now.goroutines, before.goroutines+1000, "goroutines under attack")
	}
	wg.Wait()
	require.Equal(t, resptest.Simple("PONG"), well.Do("PING"))
	require.Eventually(t, func() bool { return measure().goroutines < before.goroutines+kept+5 }, time.Minute, 10*time.Millisecond)
	require.Less(t, settled().memory, before.memory+32<<20, "memory afterwards")
}

// attack sends random bytes on one connection and reads the replies, if there are any.
func attack(t *testing.T, addr string, r *rand.Rand) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Errorf("dial: %v", err)
		return
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(time.Second))
	if _, err := nc.Write(garbage(r)); err != nil {
		return // the server has closed the connection
	}
	if r.Intn(2) == 0 {
		nc.(*net.TCPConn).CloseWrite()
		var reply [4096]byte
		for err == nil {
			_, err = nc.Read(reply[:])
		}
	}
}

// garbage returns random bytes, headers that promise too much, or damaged commands.
func garbage(r *rand.Rand) []byte {
	switch r.Intn(4) {
	case 0:
		b := make([]byte, r.Intn(70_000))
		r.Read(b)
		return b
	case 1:
		lengths := []int64{-1 << 63, -2, -1, 0, 1, 1 << 20, 1<<20 + 1, 512 << 20, 512<<20 + 1, 4_000_000_000, 1<<63 - 1}
		n, m := lengths[r.Intn(len(lengths))], lengths[r.Intn(len(lengths))]
		return fmt.Appendf(nil, "*%d\r\n$%d\r\nabc\r\n", n, m)
	case 2:
		return bytes.Repeat([]byte("*1048576\r\n$1\r\n"), 1+r.Intn(100))
	}
	var b []byte
	for range 1 + r.Intn(50) {
		b = append(b, resptest.Command(hammerCommand(r)...)...)
	}
	for range r.Intn(5) {
		b[r.Intn(len(b))] = byte(r.Intn(256))
	}
	return b[:1+r.Intn(len(b))]
}

// usage is the memory and the goroutines of this process, server and test.
type usage struct {
	memory     int // bytes of heap and stacks in use
	goroutines int
}

func measure() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{int(m.HeapInuse + m.StackInuse), runtime.NumGoroutine()}
}

// settled measures after a garbage collection.
func settled() usage {
	runtime.GC()
	runtime.GC()
	return measure()
}
