package peer

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// halting is the body of a snapshot whose sender halts before the last byte.
type halting struct {
	left  int           // bytes before the halt
	until chan struct{} // closed when the sender goes on
}

func (h *halting) Read(p []byte) (int, error) {
	if h.left > 0 {
		n := min(len(p), h.left)
		h.left -= n
		return n, nil
	}
	<-h.until
	return copy(p, "x"), io.EOF
}

// Raft reads a snapshot on the goroutine that votes. So a sender that halts for long must not keep it.
func TestASnapshotEndsIfItsSenderHalts(t *testing.T) {
	const size = 1 << 20
	for name, test := range map[string]struct {
		halt  time.Duration
		ended bool
	}{
		"for a moment": {4 * time.Second, false},
		"for ever":     {time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := network{pipes: true}
				a, b := n.raft(t), n.raft(t)
				body := &halting{left: size - 1, until: make(chan struct{})}
				time.AfterFunc(test.halt, func() { close(body.until) })
				sent := make(chan error, 1)
				go func() {
					sent <- a.InstallSnapshot("b", b.LocalAddr(), &raft.InstallSnapshotRequest{Size: size},
						new(raft.InstallSnapshotResponse), body)
				}()
				rpc, begun := <-b.Consumer(), time.Now()
				got, err := io.ReadAll(rpc.Reader)
				_, _ = io.Copy(io.Discard, rpc.Reader) // as Raft does
				rpc.Respond(&raft.InstallSnapshotResponse{Success: err == nil}, err)
				require.Equal(t, test.ended, err != nil)
				require.LessOrEqual(t, time.Since(begun), 5*time.Second)
				require.Equal(t, test.ended, <-sent != nil)
				if !test.ended {
					require.Len(t, got, size)
				}
			})
		})
	}
}

// A connection of Raft may rest between two requests.
func TestAConnectionRestsBetweenRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		a, b := n.raft(t), n.raft(t)
		const requests = 3
		go func() {
			for range requests {
				rpc := <-b.Consumer()
				time.Sleep(time.Minute / 2) // Raft is busy
				rpc.Respond(&raft.RequestVoteResponse{Granted: true}, nil)
			}
		}()
		for range requests {
			var answer raft.RequestVoteResponse
			require.NoError(t, a.RequestVote("b", b.LocalAddr(), &raft.RequestVoteRequest{}, &answer))
			require.True(t, answer.Granted)
			time.Sleep(time.Hour)
		}
	})
}

// raft starts a node with Raft's own transport.
func (n *network) raft(t *testing.T) *raft.NetworkTransport {
	b := n.start(t, &fakeService{}, n.dialer(Limits{}))
	layer, err := b.Raft(0, b.addr)
	require.NoError(t, err)
	transport := raft.NewNetworkTransport(layer, 3, time.Minute, io.Discard)
	t.Cleanup(func() { require.NoError(t, transport.Close()) })
	return transport
}
