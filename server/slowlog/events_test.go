package slowlog

import (
	"testing"

	"cellserver/commands"

	"github.com/stretchr/testify/require"
)

func TestAnEventKeepsItsLastSpikes(t *testing.T) {
	var l Log
	for second := range int64(maxSpikes + 10) {
		l.spike("e", second, second)
	}
	spikes := l.Event("e").Spikes
	require.Len(t, spikes, maxSpikes)
	require.Equal(t, commands.Spike{Seconds: 10, Millis: 10}, spikes[0])
}
