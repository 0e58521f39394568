package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// A question to a slow store that began before the end does not make the service healthy again.
func TestTheHealthStaysDownAtTheEnd(t *testing.T) {
	asked, answer := make(chan bool), make(chan error)
	ready := func() error { asked <- true; return <-answer }
	made := make(chan *Health)
	go func() { made <- NewHealth(ready, true, func() bool { return true }) }()
	<-asked
	answer <- nil
	h := <-made
	updated := make(chan bool)
	go func() { updated <- h.update() }()
	<-asked
	h.stop()
	answer <- nil
	require.False(t, <-updated)
	for _, name := range []string{serviceName, ""} {
		r, err := h.Server.Check(t.Context(), &healthpb.HealthCheckRequest{Service: name})
		require.NoError(t, err)
		require.Equal(t, healthpb.HealthCheckResponse_NOT_SERVING, r.GetStatus(), name)
	}
}

// Who watches the health hears of the end, and does not delay it.
func TestStreamsDoNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, health, dial := bubble(t, &lockedBuffer{})
		c := dial()
		watch, err := healthpb.NewHealthClient(c).Watch(t.Context(), &healthpb.HealthCheckRequest{})
		require.NoError(t, err)
		_, err = watch.Recv()
		require.NoError(t, err)
		_, err = reflectionpb.NewServerReflectionClient(c).ServerReflectionInfo(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		begin := time.Now()
		health.stop()
		server.drain(drainTime)
		require.Equal(t, farewell, time.Since(begin))
		news, err := watch.Recv()
		require.NoError(t, err)
		require.Equal(t, healthpb.HealthCheckResponse_NOT_SERVING, news.GetStatus())
		_, err = watch.Recv()
		require.Equal(t, codes.Canceled, status.Code(err), "it is not cut off: %v", err)
	})
}

// A serviceFunc calls a function for each request, and answers OK.
type serviceFunc func()

func (f serviceFunc) ShouldRateLimit(context.Context, *ratelimit.RateLimitRequest) (*ratelimit.RateLimitResponse, error) {
	f()
	return &ratelimit.RateLimitResponse{}, nil
}

// What goes wrong in the server of HTTP has the form of the log, which may be JSON.
func TestErrorsOfHTTPAreInTheLog(t *testing.T) {
	h := start(t, func(o *Options) { o.Service = serviceFunc(func() { panic("a fault") }) })
	_, err := http.Post("http://"+h.Address(1)+"/json", "", strings.NewReader("{}"))
	require.Error(t, err)
	require.Contains(t, h.logged.String(), `level=WARN msg="http: panic serving`)
}

// Clients that do not end are cut off, and are no fault of the service.
func TestClientsThatDoNotEndAreCutOff(t *testing.T) {
	s, err := Listen(Options{
		Addresses: Addresses{GRPC: "127.0.0.1:0", HTTP: "127.0.0.1:0", Debug: "127.0.0.1:0"},
		Service:   ok{}, Health: NewHealth(func() error { return nil }, false, func() bool { return true }), Now: time.Now,
	})
	require.NoError(t, err)
	go func() { _ = s.grpc.Serve(s.listeners[0]) }()
	ended := make(chan error, 1)
	go func() { ended <- s.http[0].Serve(s.listeners[1]) }()
	defer s.close()
	c, err := grpc.NewClient(s.listeners[0].Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer c.Close()
	watch, err := healthpb.NewHealthClient(c).Watch(t.Context(), &healthpb.HealthCheckRequest{Service: serviceName})
	require.NoError(t, err)
	_, err = watch.Recv()
	require.NoError(t, err)
	half, err := net.Dial("tcp", s.listeners[1].Addr().String())
	require.NoError(t, err)
	defer half.Close()
	_, err = io.WriteString(half, "POST /json HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
	require.NoError(t, err)
	answers := bufio.NewReader(half)
	line, err := answers.ReadString('\n') // the handler reads the body
	require.NoError(t, err)
	require.Contains(t, line, "100")
	s.drain(time.Millisecond)
	require.ErrorIs(t, <-ended, http.ErrServerClosed)
	begin := time.Now()
	_, _ = io.Copy(io.Discard, answers)
	require.Less(t, time.Since(begin), bodyTime*9/10, "its body has not come late, it is cut off")
	_, err = watch.Recv()
	require.Error(t, err)
}
