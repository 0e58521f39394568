package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// serviceName is the name of the service for health checks.
const serviceName = "ratelimit"

// healthEvery is how often those who watch the health hear of a change.
const healthEvery = time.Second

// A Health says whether the service can answer.
type Health struct {
	*health.Server

	storeReady func() error // of the store
	always     bool         // ask the store each time, not only until it was ready once
	hasRules   func() bool
	wasReady   atomic.Bool
	stopping   atomic.Bool
}

// NewHealth makes a health that rests on the store and on the rules.
func NewHealth(storeReady func() error, always bool, hasRules func() bool) *Health {
	h := &Health{Server: health.NewServer(), storeReady: storeReady, always: always, hasRules: hasRules}
	h.update()
	return h
}

// ok reports whether the service can answer.
func (h *Health) ok() bool {
	if h.stopping.Load() || !h.hasRules() {
		return false
	}
	if h.wasReady.Load() && !h.always {
		return true
	}
	if h.storeReady() != nil {
		return false
	}
	h.wasReady.Store(true)
	return true
}

// update tells those who watch.
func (h *Health) update() bool {
	status := healthpb.HealthCheckResponse_NOT_SERVING
	isOK := h.ok() && !h.stopping.Load() // the store may take long
	if isOK {
		status = healthpb.HealthCheckResponse_SERVING
	}
	h.SetServingStatus(serviceName, status)
	return isOK
}

// Check answers a check by gRPC.
func (h *Health) Check(
	ctx context.Context, request *healthpb.HealthCheckRequest,
) (*healthpb.HealthCheckResponse, error) {
	h.update()
	return h.Server.Check(ctx, request)
}

// ServeHTTP answers a check by HTTP.
func (h *Health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if !h.update() {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write([]byte("OK"))
}

// stop makes the service unhealthy for good, also for who asks without its name.
func (h *Health) stop() {
	h.stopping.Store(true)
	h.Shutdown() // no update changes anything from now on
}

// watch updates the health until the context ends. It logs when the store goes away, and when it is back.
func (h *Health) watch(ctx context.Context, log *slog.Logger) {
	tick := time.Tick(healthEvery)
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			h.update()
			err := h.storeReady()
			if isAway := err != nil; isAway != away {
				away = isAway
				logStore(log, err)
			}
		}
	}
}

// logStore says that the store is away, or back.
func logStore(log *slog.Logger, err error) {
	if err == nil {
		log.Info("the store answers again")
		return
	}
	log.Error("the store does not answer, requests are errors or what on_failure says: " + err.Error())
}
