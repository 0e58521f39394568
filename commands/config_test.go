package commands

import (
	"errors"
	"testing"

	"cellserver/internal/config"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestConfigGet(t *testing.T) {
	h := newHarness(t, "--requirepass", "")
	h.want("CONFIG GET maxmemory", []string{"maxmemory", "0"})
	h.want("CONFIG GET MAXMEMORY maxmemory Max*y", []string{"MAXMEMORY", "0", "maxmemory-policy", "noeviction", "maxmemory-eviction-tenacity", "10"})
	h.want("CONFIG GET nothing", []string{})
	h.want("CONFIG GET zset-max-ziplist-entries", []string{"zset-max-ziplist-entries", "128"})
	h.want("CONFIG GET", Error("ERR wrong number of arguments for 'config|get' command"))
	h.do("HELLO 3")
	require.Equal(t, mapOf("port", "6379"), h.do("CONFIG GET port"))
}

func TestConfigSet(t *testing.T) {
	h := newHarness(t)
	h.want("CONFIG SET maxmemory 1mb hz 20", ok)
	h.want("CONFIG GET maxmemory hz", []string{"maxmemory", "1048576", "hz", "20"})
	for line, text := range map[string]Error{
		"CONFIG SET":                          "ERR wrong number of arguments for 'config|set' command",
		"CONFIG SET hz 5 timeout":             "ERR syntax error",
		"CONFIG SET foo bar":                  "ERR Unknown option or number of arguments for CONFIG SET - 'foo'",
		"CONFIG SET databases 3":              "ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config",
		"CONFIG SET Dir /tmp":                 "ERR CONFIG SET failed (possibly related to argument 'Dir') - can't set protected config",
		"CONFIG SET maxmemory 1 MAXMEMORY 2":  "ERR CONFIG SET failed (possibly related to argument 'MAXMEMORY') - duplicate parameter",
		"CONFIG SET hz 7 Maxmemory x":         "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value",
		"CONFIG SET timeout x":                "ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer",
		"CONFIG SET hz 7 databases 3 foo bar": "ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config",
		"CONFIG SET hz 7 save a":              "ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters",
		"CONFIG NOPE":                         "ERR unknown subcommand 'NOPE'. Try CONFIG HELP.",
	} {
		h.want(line, text)
	}
	h.want("CONFIG GET hz maxmemory", []string{"hz", "20", "maxmemory", "1048576"})
	h.want("CONFIG SET zset-max-ziplist-entries 3 zset-max-listpack-entries 4", ok)
	h.want("CONFIG GET zset-max-ziplist-entries", []string{"zset-max-ziplist-entries", "4"})
}

func TestConfigSetAsksTheEdge(t *testing.T) {
	h := newHarness(t)
	h.server.onConfig = func(old, new *config.Config) error {
		require.Equal(t, 10, old.Hz)
		require.Equal(t, 11, new.Hz)
		return errors.New("not today")
	}
	h.want("CONFIG SET hz 11 timeout 3", Error("ERR CONFIG SET failed (possibly related to argument 'hz') - not today"))
	h.want("CONFIG GET hz", []string{"hz", "10"})
	h.server.onConfig = func(_, _ *config.Config) error {
		return &Refusal{"timeout", errors.New("too long")}
	}
	h.want("CONFIG SET hz 11 timeout 3", Error("ERR CONFIG SET failed (possibly related to argument 'timeout') - too long"))
}

func TestConfigSetPasswordTakesEffect(t *testing.T) {
	h := newHarness(t)
	h.want("CONFIG SET requirepass secret", ok)
	other := h.client(t)
	other.want("PING", errNoAuth)
	other.want("AUTH secret", ok)
	other.want("CONFIG GET requirepass", []string{"requirepass", "secret"})
}

func TestConfigRewrite(t *testing.T) {
	h := newHarness(t)
	h.want("CONFIG REWRITE", Error("ERR The server is running without a config file"))
	var written *config.Config
	h.server.rewrite = func(c *config.Config) error { written = c; return nil }
	h.want("CONFIG SET hz 33", ok)
	h.want("CONFIG REWRITE", ok)
	require.Equal(t, 33, written.Hz)
	h.server.rewrite = func(*config.Config) error { return errors.New("disk is full") }
	h.want("CONFIG REWRITE", Error("ERR Rewriting config file: disk is full"))
}

func TestConfigResetStat(t *testing.T) {
	h := newHarness(t)
	h.do("GET missing")
	h.do("NOPE")
	h.want("CONFIG RESETSTAT", ok)
	require.Equal(t, "0", h.info("stats")["keyspace_misses"])
	require.Equal(t, "0", h.info("stats")["total_error_replies"])
	require.NotContains(t, h.info("commandstats"), "cmdstat_get")
}

func TestConfigHelp(t *testing.T) {
	h := newHarness(t)
	lines := h.do("CONFIG HELP").([]any)
	require.Len(t, lines, 11)
	require.Equal(t, resptest.Simple("CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), lines[0])
	require.Equal(t, resptest.Simple("    Prints this help."), lines[10])
}
