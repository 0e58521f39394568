package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/envoy/settings"
	"cellserver/envoy/stats"
)

// Clients make 10,000 keys, and who reads them all takes 100 MB.
func TestFewReadTheMetricsAtTheSameTime(t *testing.T) {
	registry := stats.NewRegistry()
	begun, goOn := make(chan bool), make(chan bool)
	registry.Gauge("slow", func() uint64 { begun <- true; <-goOn; return 1 })
	handler, err := prometheusHandler(registry, settings.Stats{Prometheus: true})
	require.NoError(t, err)
	read := func() int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Code
	}
	var readers sync.WaitGroup
	for range maxScrapes {
		readers.Go(func() {
			if code := read(); code != http.StatusOK {
				t.Errorf("the status is %d", code)
			}
		})
		<-begun
	}
	extra := make(chan int)
	go func() { extra <- read() }()
	select {
	case code := <-extra:
		require.Equal(t, http.StatusServiceUnavailable, code)
	case <-begun:
		t.Error("one more reads")
	}
	close(goOn)
	readers.Wait()
}
