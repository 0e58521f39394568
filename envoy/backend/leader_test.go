package backend

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachCallAsksTheNodeOfItsError: while the leader changes, the errors of two calls may name two nodes.
func TestEachCallAsksTheNodeOfItsError(t *testing.T) {
	e := &embedded{}
	ended, end := context.WithCancel(t.Context())
	end() // nobody waits for a connection
	addresses := [2]string{"127.0.0.1:1", "127.0.0.1:2"}
	for range 300 {
		var asked [2]string
		var begin, calls sync.WaitGroup
		begin.Add(1)
		for i, address := range addresses {
			calls.Go(func() {
				begin.Wait()
				leader, _ := e.leaderAt(ended, "MOVED 0 "+address)
				asked[i] = leader.options.InitAddress[0]
			})
		}
		begin.Done()
		calls.Wait()
		require.Equal(t, addresses, asked)
	}
	e.leader.Load().close()
}
