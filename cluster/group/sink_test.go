package group

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// since returns a clock with the virtual time of a bubble.
func since(begun time.Time) (now func() int64) {
	return func() int64 { return int64(time.Since(begun)) }
}

// computing is a writer for whose bytes somebody computes.
type computing struct {
	bytes.Buffer
	pauses  []time.Duration
	chunk   time.Duration
	written time.Time // the end of the last write
}

func (w *computing) Write(p []byte) (int, error) {
	w.pauses = append(w.pauses, time.Since(w.written)-w.chunk)
	return w.Buffer.Write(p)
}

// A snapshot computes for at most a stretch and one chunk without a pause, and pauses no more often than that.
func TestASnapshotPauses(t *testing.T) {
	for _, story := range []struct {
		chunk time.Duration // to compute one chunk
		every int           // chunks between pauses
	}{{time.Millisecond, 1}, {150 * time.Microsecond, 2}, {30 * time.Microsecond, 7}, {0, 100}} {
		synctest.Test(t, func(t *testing.T) {
			out := &computing{chunk: story.chunk}
			s := &sink{Writer: out, gone: make(chan struct{}), now: since(time.Now())}
			for range 100 {
				out.written = time.Now()
				time.Sleep(story.chunk)
				_, err := s.Write([]byte("x"))
				require.NoError(t, err)
			}
			for i, pause := range out.pauses {
				if want := (i+1)%story.every == 0 && story.chunk > 0; want {
					require.Equal(t, rest, pause, "%v: chunk %d", story.chunk, i)
				} else {
					require.Zero(t, pause, "%v: chunk %d", story.chunk, i)
				}
			}
			require.Equal(t, 100, out.Len())
		})
	}
}

func TestASnapshotEndsWithItsNode(t *testing.T) {
	gone := make(chan struct{})
	s := &sink{Writer: new(bytes.Buffer), gone: gone, now: since(time.Now())}
	_, err := s.Write([]byte("x"))
	require.NoError(t, err)
	close(gone)
	_, err = s.Write([]byte("x"))
	require.ErrorIs(t, err, errEnds)
}
