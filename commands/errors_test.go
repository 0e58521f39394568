package commands

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknownCommandQuotesLittle(t *testing.T) {
	words := func(all ...string) (args [][]byte) {
		for _, word := range all {
			args = append(args, []byte(word))
		}
		return args
	}
	text := func(all ...string) string { return UnknownCommand(words(all...)).Error() }
	long := strings.Repeat("x", 1<<20)
	require.Equal(t, "ERR unknown command 'a', with args beginning with: ", text("a"))
	require.Equal(t, "ERR unknown command 'a', with args beginning with: 'b' '' 'c' ", text("a", "b", "", "c\x00d"))
	require.Equal(t, "ERR unknown command '"+long[:128]+"', with args beginning with: '"+long[:124]+"' '"+long[:1]+"' ",
		text(long, long[:124], long, long))
	require.Equal(t, "ERR unknown command 'XADD', with args beginning with: 's' '*' "+
		"(cellserver has no streams: docs/libraries.md says which queues run without them)", text("XADD", "s", "*"))
	for name, sentence := range map[string]string{"xgroup": noStreams, "Fcall": noFunctions, "SORT": instead[""]} {
		require.Contains(t, text(name), "beginning with: ("+sentence+")")
	}
	args := words(long, long, long)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { UnknownCommand(args) }), 2.0)
}
