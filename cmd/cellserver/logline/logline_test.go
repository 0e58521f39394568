package logline

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEachLineIsAnObject, whatever its values are. The format may change between two lines, also for a
// logger with attributes.
func TestEachLineIsAnObject(t *testing.T) {
	var out bytes.Buffer
	var asJSON atomic.Bool
	log := slog.New(New(&out, slog.LevelDebug, &asJSON))
	log.Info("text", "wait", time.Minute)
	require.Contains(t, out.String(), `level=notice msg=text wait=1m0s`)
	asJSON.Store(true)
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	for _, test := range []struct{ value, want any }{
		{errors.Join(errors.New("one"), errors.New(`"two"`)), "one\n\"two\""},
		{time.Minute, "1m0s"}, {local, "127.0.0.1:1"},
		{[]net.Addr{local, local}, []any{"127.0.0.1:1", "127.0.0.1:1"}},
		{[]string{"a", "b"}, []any{"a", "b"}},
		{"\x00\xff\r\n\u2028", "\x00\ufffd\r\n\u2028"}, {7, 7.0}, {nil, nil},
		{make(chan int), "!ERROR:json: unsupported type: chan int"}, {slog.LevelWarn, "WARN"},
	} {
		out.Reset()
		log.With("a", 1).WithGroup("g").Log(t.Context(), Verbose, "fact", "v", test.value)
		require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
		var line map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &line), out.String())
		require.Equal(t, []any{"verbose", "fact", 1.0}, []any{line["level"], line["msg"], line["a"]})
		require.Equal(t, test.want, line["g"].(map[string]any)["v"])
	}
}
