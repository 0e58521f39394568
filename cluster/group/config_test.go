package group

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"cellserver/cluster/raftlog"

	"github.com/stretchr/testify/require"
)

// A snapshot that the node need not have is no error for a person, nor is one that is being written. A snapshot that the disk refuses is one.
func TestRaftsMessagesAboutSnapshots(t *testing.T) {
	var out bytes.Buffer
	log := NewRaftLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo})))
	log.Error("failed to copy snapshot", "error", raftlog.ErrHeld)
	log.Warn("found temporary snapshot", "name", "2-70-1.tmp")
	require.Empty(t, out.String())
	log.Error("failed to copy snapshot", "error", errors.New("no space left on device"))
	require.Contains(t, out.String(), "level=ERROR")
}
