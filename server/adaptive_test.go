package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestAdaptive shows an adaptive limit in INFO, as metrics and for the page.
func TestAdaptive(t *testing.T) {
	h := servertest.New(t)
	require.NotContains(t, h.Server.Metrics(), "adaptive")
	h.Want("CONFIG SET adaptive-metrics-keys 'search other'", servertest.OK)
	for round := range 3 {
		for i := range 20 - 8*min(round, 1) {
			h.Do(fmt.Sprint("CL.ENTER search 60 a", i))
		}
		if round == 0 {
			h.Do("CL.ENTER search 60 refused")
		}
		for i := range 12 {
			h.Do(fmt.Sprint("CL.LEAVE search a", i, " 0.02", []string{"", " DROP"}[min(round, 1)]))
		}
		h.Advance(61 * time.Second)
	}
	h.Do("CL.ENTER search 60 b")
	text := h.InfoText("throttle")
	require.Contains(t, text, `adaptive:"search":db=0,algorithm=GRADIENT,limit=7,inflight=1,latency_us=20000,refused=1`)
	metrics := h.Server.Metrics()
	for _, line := range []string{
		`cellserver_adaptive_limit{key="search"} 7`, `cellserver_adaptive_least{key="search"} 1`, `cellserver_adaptive_inflight{key="search"} 1`,
		`cellserver_adaptive_base_seconds{key="search"} 0.02`, `cellserver_adaptive_latency_seconds{key="search"} 0.02`,
		`cellserver_adaptive_refused_total{key="search"} 1`, `cellserver_adaptive_drops_total{key="search"} 24`,
		`cellserver_adaptive_windows_total{key="search",result="grew"} 1`, `cellserver_adaptive_windows_total{key="search",result="fell"} 2`,
		`cellserver_adaptive_limit{key="other"} 0`,
	} {
		require.Contains(t, metrics, line+"\n")
	}
	var status struct {
		Adaptive []struct {
			Name   string
			Limit  int64
			Points [][5]int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(h.Do("CL.STATUS").(string)), &status))
	require.Len(t, status.Adaptive, 2)
	require.Equal(t, "search", status.Adaptive[0].Name)
	require.Len(t, status.Adaptive[0].Points, 3)
	require.Equal(t, [5]int64{30, 20, 20000, 20000, 1}, status.Adaptive[0].Points[0])
	err := h.Do("CONFIG SET adaptive-metrics-keys '1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3'")
	require.ErrorContains(t, err.(error), "use at most 32 keys")
}

// TestAdaptiveEvent: a limit that moves by more than a tenth publishes an event.
func TestAdaptiveEvent(t *testing.T) {
	h := servertest.New(t)
	h.Do("CONFIG SET notify-keyspace-events Eg")
	other := h.NewClient(t)
	other.Do("SUBSCRIBE __keyevent@0__:adaptive")
	h.Do("CL.ENTER k 60 a AIMD 1 START 50 WINDOW 0")
	h.Do("CL.LEAVE k a 0.1")
	require.Empty(t, other.TakePushes())
	h.Do("CL.ENTER k 60 a VEGAS START 2 WINDOW 0 BETWEEN 1 9")
	h.Do("CL.LEAVE k a 0.1 DROP")
	require.Len(t, other.TakePushes(), 1)
}
