package configload

import (
	"strings"
	"testing"

	"cellserver/internal/config"

	"github.com/stretchr/testify/require"
)

// survives checks a configuration that was accepted: every value that Get returns can be set again, and stays
// the same.
func survives(t *testing.T, c *config.Config, err error) {
	if err != nil {
		require.Nil(t, c)
		require.NotEmpty(t, err.Error())
		return
	}
	require.NoError(t, c.Validate())
	for _, d := range config.Directives() {
		value, ok := c.Get(d.Name)
		require.True(t, ok)
		require.NoError(t, c.Set(d.Name, d.Split(value)), d.Name)
		again, _ := c.Get(d.Name)
		require.Equal(t, value, again, d.Name)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"port 6380\nbind * -::*\nsave 3600 1\nsave 300 100\n", "include r.conf\ninclude [r]*", "requirepass \"\\x41 \\n\"\r\n# c\n",
		"client-output-buffer-limit normal 1mb 1kb 5 pubsub 0 0 0", "maxmemory 99999999999gb\nhz -1", "loadmodule x_cell.so\nsearch.x 1",
		"prot 1", "rename-command a b", "unixsocketperm 777\nmaxmemory-clients 5%", "notify-keyspace-events KEA\nshutdown-on-sigterm now force",
		"oom-score-adj-values 1 2 3\nproc-title-template {title}{{", "latency-tracking-info-percentiles 1e1 99.99", "a \"", "\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		c, _, err := files{"r.conf": text}.load([]string{"r.conf"}, nil)
		survives(t, c, err)
	})
}

func FuzzLoad(f *testing.F) {
	f.Add("r.conf\x00--port\x006380\x00--save\x00", "CELLSERVER_PORT=1\x00HOME=/")
	f.Add("--bind=* ::1\x00--save\x00--hz 5\x00-", "CELLSERVER_SAVE=1 2 3 4\x00CELLSERVER_MAXMEMROY=1")
	f.Add("-\x00--include\x00r.conf\x00--help", "CELLSERVER_PORT=tcp://1:2\x00CELLSERVER_\x00CELLSERVER_NO_SKIP=1")
	f.Add("--slaveof\x00no\x00one\x00--tls-port\x001", "CELLSERVER_CLIENT_OUTPUT_BUFFER_LIMIT=normal 0 0 0")
	f.Fuzz(func(t *testing.T, args, environ string) {
		if len(args)+len(environ) > 4096 {
			return
		}
		source := files{"r.conf": "timeout 3\ninclude d/*", "-": "hz 20", "d/1": "port 1", "d/2": "save 1 2", "loop": "include loop"}
		c, _, err := source.load(strings.Split(args, "\x00"), strings.Split(environ, "\x00"))
		survives(t, c, err)
	})
}
