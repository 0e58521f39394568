package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"cellserver/envoy/settings"
	"cellserver/envoy/stats"
)

// A timedReply notes until when it may be written.
type timedReply struct {
	*httptest.ResponseRecorder

	until time.Time
}

// SetWriteDeadline is what [http.ResponseController] calls.
func (r *timedReply) SetWriteDeadline(until time.Time) error {
	r.until = until
	return nil
}

// Clients make 10,000 keys, and who reads them all takes 100 MB. One more waits, but not if it has left.
func TestFewReadTheMetricsAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, begun, goOn := stats.NewRegistry(), atomic.Int32{}, make(chan bool)
		registry.Gauge("slow", func() uint64 { begun.Add(1); <-goOn; return 1 })
		handler, err := prometheusHandler(registry, settings.Stats{Prometheus: true})
		require.NoError(t, err)
		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		replies, readers := [maxScrapes + 1]timedReply{}, sync.WaitGroup{}
		for i := range replies {
			replies[i].ResponseRecorder = httptest.NewRecorder()
			readers.Go(func() { handler.ServeHTTP(&replies[i], request) })
		}
		synctest.Wait()
		require.EqualValues(t, maxScrapes, begun.Load())
		hasLeft, leave := context.WithCancel(t.Context())
		leave()
		handler.ServeHTTP(httptest.NewRecorder(), request.WithContext(hasLeft))
		close(goOn)
		readers.Wait()
		for i := range replies {
			require.Equal(t, http.StatusOK, replies[i].Code)
			require.Equal(t, scrapeTime, time.Until(replies[i].until), "who does not read makes room")
		}
		require.EqualValues(t, len(replies), begun.Load())
	})
}
