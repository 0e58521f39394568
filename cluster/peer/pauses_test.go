package peer

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// pipes is a raft.StreamLayer whose connections are pipes.
type pipes struct {
	net.Listener
	closed chan struct{}
	dials  int
	dial   func() (net.Conn, error)
}

func (p *pipes) Dial(raft.ServerAddress, time.Duration) (net.Conn, error) {
	p.dials++
	return p.dial()
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) Accept() (net.Conn, error) {
	<-p.closed
	return nil, net.ErrClosed
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

// piped starts a transport in a bubble of virtual time.
func piped(t *testing.T, log io.Writer, dial func() (net.Conn, error)) (*Carrier, *pipes) {
	layer := &pipes{closed: make(chan struct{}), dial: dial}
	network := raft.NewNetworkTransport(&pipes{closed: make(chan struct{})}, 3, time.Minute, io.Discard)
	c := NewCarrier(network, layer, time.Minute, nil, nil, nil,
		hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Warn}))
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c, layer
}

// ask asks for pipelines for a time, as Raft does after each request. It reports how many connections were tried.
func ask(c *Carrier, layer *pipes, d time.Duration, use func(*pipeline)) int {
	before := layer.dials
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if p, err := c.AppendEntriesPipeline("id", "node"); err == nil {
			use(p.(*pipeline))
		}
	}
	return layer.dials - before
}

func TestAPauseFollowsAFailedConnection(t *testing.T) {
	refused := func() (net.Conn, error) { return nil, errors.New("refused") }
	ended := func() (net.Conn, error) {
		here, there := net.Pipe()
		_ = there.Close()
		return here, nil
	}
	for name, dial := range map[string]func() (net.Conn, error){"refused": refused, "ended": ended} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				c, layer := piped(t, &log, dial)
				wait := func(p *pipeline) { <-p.closed; synctest.Wait() }
				require.Equal(t, 1, ask(c, layer, 90*time.Millisecond, wait))
				require.Equal(t, 3, ask(c, layer, 900*time.Millisecond, wait)) // after 100, 300, and 700 ms
				require.LessOrEqual(t, ask(c, layer, time.Minute, wait), 16)   // one in 5 s in the end
				require.Equal(t, 1, strings.Count(log.String(), "[WARN]"), log.String())
			})
		})
	}
}

// answering returns connections that end after a number of answers.
func answering(answers int) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			for range answers {
				_, _ = io.ReadFull(there, make([]byte, requestHead))
				_, _ = there.Write(make([]byte, answerSize))
			}
			_ = there.Close()
		}()
		return here, nil
	}
}

// use sends requests until a pipeline has ended.
func use(p *pipeline) {
	for {
		if _, err := p.AppendEntries(&raft.AppendEntriesRequest{}, new(raft.AppendEntriesResponse)); err != nil {
			break
		}
		select {
		case <-p.Consumer():
		case <-p.closed:
		}
	}
	<-p.closed
	synctest.Wait()
}

// Few answers do not end the row of failures. Many do, so the next failure begins with the shortest pause.
func TestAPauseFollowsAConnectionThatEndsAfterAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, layer := piped(t, io.Discard, answering(1))
		require.Equal(t, 4, ask(c, layer, 990*time.Millisecond, use)) // at once, and after 100, 300, and 700 ms
		require.LessOrEqual(t, ask(c, layer, time.Minute, use), 16)
		time.Sleep(lastRest)
		layer.dial = answering(provenBy)
		require.Equal(t, 10, ask(c, layer, 990*time.Millisecond, use), "one in 100 ms")
	})
}

// Raft ends a pipeline if it sends entries one by one for a while. That is no failure.
func TestNoPauseFollowsAPipelineThatRaftEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, layer := piped(t, io.Discard, func() (net.Conn, error) {
			here, _ := net.Pipe()
			return here, nil
		})
		require.Equal(t, 10, ask(c, layer, 10*time.Millisecond, func(p *pipeline) {
			require.NoError(t, p.Close())
			synctest.Wait()
		}))
		require.Empty(t, c.pauses.byAddress)
	})
}

func TestPausesAreBounded(t *testing.T) {
	p := pauses{byAddress: map[raft.ServerAddress]*pause{}}
	for i := range 2*maxPauses + 1 {
		p.begin(raft.ServerAddress(rune(i)))
	}
	require.LessOrEqual(t, len(p.byAddress), maxPauses)
}

// A fault of the bytes is a warning, and many of them are few warnings.
func TestFaultsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c, _ := piped(t, &log, nil)
		wrong := bytes.Repeat([]byte{9}, requestHead)
		for range 25 {
			here, there := net.Pipe()
			go func() { _, _ = there.Write(wrong) }()
			c.complain(&net.TCPAddr{}, c.serve(here))
			time.Sleep(time.Second)
		}
		require.Equal(t, 3, strings.Count(log.String(), "[WARN]"), log.String())
		require.Contains(t, log.String(), "this server knows version 1: run the same release on every node")
		c.complain(&net.TCPAddr{}, io.ErrUnexpectedEOF)
		require.Equal(t, 3, strings.Count(log.String(), "\n"))
	})
}
