package server_test

import (
	"testing"
	"time"

	"cellserver/server"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// positions count the transactions of a store.
type positions struct {
	begun     uint64
	readsWait bool
}

func (p *positions) Committed(*store.Tx, []store.Effect) { p.begun++ }
func (p *positions) Begun() uint64                       { return p.begun }
func (p *positions) ReadsWait() bool                     { return p.readsWait }

// Replies to changes wait for all that has begun. Replies that only show keys wait if reads wait. All others never wait.
func TestNeed(t *testing.T) {
	const nothing, reads, changes = "nothing", "reads", "changes"
	story := []struct{ line, class string }{
		{"PING", nothing},
		{"SET k v", changes},
		{"PING", nothing},
		{"GET k", reads},
		{"GET absent", reads},
		{"SET k v NX", reads},
		{"DEL absent", reads},
		{"DBSIZE", reads},
		{"INFO", nothing},
		{"CONFIG GET maxmemory", nothing},
		{"NOSUCH", nothing},
		{"GET", nothing},
		{"CL.THROTTLE t 0 1 60", changes},
		{"CL.THROTTLE t 0 1 60", reads},
		{"SET short v PX 1", changes},
		{"GET short", changes}, // it has expired, and the read removes it
		{"MULTI", nothing},
		{"GET k", nothing},
		{"EXEC", reads},
		{"MULTI", nothing},
		{"SET k w", nothing},
		{"PING", nothing},
		{"EXEC", changes},
		{"MULTI", nothing},
		{"DBSIZE", nothing},
		{"EXEC", reads},
		{"WATCH k", reads},
		{"FLUSHALL", changes},
	}
	for _, readsWait := range []bool{false, true} {
		p := &positions{begun: 5, readsWait: readsWait}
		h := servertest.NewAt(t, &servertest.Edge{Positions: p})
		h.Store.Observe(p)
		for _, step := range story {
			before := p.begun
			h.Do(step.line)
			need := uint64(0)
			if step.class == changes || step.class == reads && readsWait {
				need = p.begun
			}
			require.Equal(t, need, h.State.Need(), "%s, reads wait: %v", step.line, readsWait)
			require.Equal(t, step.class == changes, p.begun > before, step.line)
			h.Advance(2 * time.Millisecond)
		}
		if readsWait {
			require.Equal(t, p.begun, h.State.MessageNeed())
		} else {
			require.Zero(t, h.State.MessageNeed())
		}
	}
}

// A batch waits for what its most demanding command waits for, and for nothing without positions.
func TestNeedOfABatch(t *testing.T) {
	for _, p := range []server.Positions{&positions{begun: 9}, nil} {
		h := servertest.NewAt(t, &servertest.Edge{Positions: p})
		want := uint64(9)
		if p == nil {
			want = 0
		}
		h.Send([]byte("GET k\r\nSET k v\r\nPING\r\n"))
		require.Equal(t, want, h.State.Need())
		h.Send([]byte("GET k\r\nPING\r\n"))
		require.Zero(t, h.State.Need())
		h.Send([]byte("PING\r\nSET k v\r\nDEBUG PANIC\r\n"))
		require.Equal(t, want, h.State.Need())
	}
}
