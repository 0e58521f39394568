package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
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
