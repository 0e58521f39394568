package admin

import (
	"errors"
	"testing"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestConfigGet(t *testing.T) {
	h := servertest.New(t, "--requirepass", "")
	h.Want("CONFIG GET maxmemory", []string{"maxmemory", "0"})
	h.Want("CONFIG GET MAXMEMORY maxmemory Max*y", []string{"MAXMEMORY", "0", "maxmemory-policy", "noeviction", "maxmemory-eviction-tenacity", "10"})
	h.Want("CONFIG GET nothing", []string{})
	h.Want("CONFIG GET zset-max-ziplist-entries", []string{"zset-max-ziplist-entries", "128"})
	h.Want("CONFIG GET", commands.Error("ERR wrong number of arguments for 'config|get' command"))
	h.Do("HELLO 3")
	require.Equal(t, servertest.MapOf("port", "6379"), h.Do("CONFIG GET port"))
}

func TestConfigSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET maxmemory 1mb hz 20", ok)
	h.Want("CONFIG GET maxmemory hz", []string{"maxmemory", "1048576", "hz", "20"})
	for line, text := range map[string]commands.Error{
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
		h.Want(line, text)
	}
	h.Want("CONFIG GET hz maxmemory", []string{"hz", "20", "maxmemory", "1048576"})
	h.Want("CONFIG SET zset-max-ziplist-entries 3 zset-max-listpack-entries 4", ok)
	h.Want("CONFIG GET zset-max-ziplist-entries", []string{"zset-max-ziplist-entries", "4"})
}

func TestConfigSetAsksTheEdge(t *testing.T) {
	refusal := errors.New("not today")
	h := servertest.NewAt(t, &servertest.Edge{Configured: func(old, new *config.Config) error {
		require.Equal(t, 10, old.Hz)
		require.Equal(t, 11, new.Hz)
		return refusal
	}})
	h.Want("CONFIG SET hz 11 timeout 3", commands.Error("ERR CONFIG SET failed (possibly related to argument 'hz') - not today"))
	h.Want("CONFIG GET hz", []string{"hz", "10"})
	refusal = &commands.Refusal{Directive: "timeout", Reason: errors.New("too long")}
	h.Want("CONFIG SET hz 11 timeout 3", commands.Error("ERR CONFIG SET failed (possibly related to argument 'timeout') - too long"))
}

func TestConfigSetPasswordTakesEffect(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET requirepass secret", ok)
	other := h.NewClient(t)
	other.Want("PING", commands.ErrNoAuth)
	other.Want("AUTH secret", ok)
	other.Want("CONFIG GET requirepass", []string{"requirepass", "secret"})
}

func TestConfigRewrite(t *testing.T) {
	servertest.New(t).Want("CONFIG REWRITE", commands.Error("ERR The server is running without a config file"))
	var written *config.Config
	var failure error
	h := servertest.NewAt(t, &servertest.Edge{Rewrite: func(c *config.Config) error {
		written = c
		return failure
	}})
	h.Want("CONFIG SET hz 33", ok)
	h.Want("CONFIG REWRITE", ok)
	require.Equal(t, 33, written.Hz)
	failure = errors.New("disk is full")
	h.Want("CONFIG REWRITE", commands.Error("ERR Rewriting config file: disk is full"))
}

func TestConfigResetStat(t *testing.T) {
	h := servertest.New(t)
	h.Do("GET missing")
	h.Do("NOPE")
	h.Want("CONFIG RESETSTAT", ok)
	require.Equal(t, "0", h.Info("stats")["keyspace_misses"])
	require.Equal(t, "0", h.Info("stats")["total_error_replies"])
	require.NotContains(t, h.Info("commandstats"), "cmdstat_get")
}

func TestConfigHelp(t *testing.T) {
	h := servertest.New(t)
	lines := h.Do("CONFIG HELP").([]any)
	require.Len(t, lines, 11)
	require.Equal(t, resptest.Simple("CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), lines[0])
	require.Equal(t, resptest.Simple("    Prints this help."), lines[10])
}

func TestConfigSetToItsOwnValue(t *testing.T) {
	h := servertest.New(t, "--rules-file", "rules.yml")
	for _, name := range config.Names() {
		value := h.Do("CONFIG", "GET", name).([]any)[1]
		require.Equal(t, ok, h.Do("CONFIG", "SET", name, value), name)
		require.Equal(t, value, h.Do("CONFIG", "GET", name).([]any)[1], name)
	}
	h.Want("CONFIG SET rules-file other.yml", commands.Error("ERR CONFIG SET failed (possibly related to argument 'rules-file') - can't set protected config"))
	h.Want("CONFIG SET databases 17", commands.Error("ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config"))
	h.Want("CONFIG SET databases x", commands.Error("ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config"))
}
