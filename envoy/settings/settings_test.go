package settings

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func read(variables map[string]string) (Settings, error) {
	return Read(func(name string) string { return variables[name] })
}

func TestDefaults(t *testing.T) {
	s, err := read(nil)
	require.NoError(t, err)
	require.Equal(t, Listen{Host: "0.0.0.0", GRPCHost: "0.0.0.0", DebugHost: "0.0.0.0", Port: 8080, GRPCPort: 8081, DebugPort: 6070}, s.Listen)
	require.Equal(t, 24*time.Hour, s.GRPC.MaxAge)
	require.Equal(t, time.Hour, s.GRPC.AgeGrace)
	require.Equal(t, Log{"warn", "text"}, s.Log)
	require.Equal(t, 10*time.Second, s.Store.Timeout)
	require.Equal(t, "/srv/runtime_data/current", s.Source.Root)
	require.Equal(t, "config", s.Source.AppDirectory)
	require.True(t, s.Source.WatchRoot)
	require.False(t, s.Source.IgnoreDots)
	require.True(t, s.Stats.Statsd)
	require.InDelta(t, 0.8, s.Service.NearLimit, 1e-6)
	require.Equal(t, "RateLimit-Limit", s.Service.LimitHeader)
	require.Empty(t, s.Notes)
}

// Each value that does not parse is named, and so is what may stand there.
func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"PORT", "x", "PORT=x: the value must be an integer from 0 to 65535"},
		{"PORT", "65536", "PORT=65536: the value must be an integer from 0 to 65535"},
		{"RUNTIME_WATCH_ROOT", "maybe", "RUNTIME_WATCH_ROOT=maybe: the value must be true or false"},
		{"REDIS_TIMEOUT", "10", "REDIS_TIMEOUT=10: the value must be a duration such as 250ms, 10s or 1h"},
		{"REDIS_TYPE", "ring", "REDIS_TYPE=ring: the value must be SINGLE or SENTINEL or CLUSTER"},
		{"NEAR_LIMIT_RATIO", "2", "NEAR_LIMIT_RATIO=2: the value must be a number from 0 to 1"},
		{"NEAR_LIMIT_RATIO", "NaN", "NEAR_LIMIT_RATIO=NaN: the value must be a number from 0 to 1"},
		{"EXTRA_TAGS", "a", "EXTRA_TAGS=…: the value must be a list such as key:value,key:value"},
		{"CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS", "secret", "CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS=…: " +
			"the value must be a list such as key:value,key:value"},
		{"LOG_LEVEL", "loud", "LOG_LEVEL=loud: the value must be panic or fatal or error or warn or warning or info or debug or trace"},
		{"BACKEND_TYPE", "memcache", "BACKEND_TYPE=memcache: the value must be redis: there is no other backend, and without REDIS_URL none is needed"},
		{"MEMCACHE_HOST_PORT", "m:1", "MEMCACHE_HOST_PORT=m:1: the value must be empty: there is no memcached, set REDIS_URL or nothing"},
		{"STATS_FLUSH_INTERVAL", "0s", "STATS_FLUSH_INTERVAL=0: the value must be a duration above 0"},
		{"CONFIG_TYPE", "HTTP", "CONFIG_TYPE=HTTP: the value must be FILE or GRPC_XDS_SOTW"},
	} {
		_, err := read(map[string]string{c.name: c.value})
		require.EqualError(t, err, c.want)
	}
	_, err := read(map[string]string{"PORT": "x", "GRPC_PORT": "y"})
	require.ErrorContains(t, err, "PORT=x")
	require.ErrorContains(t, err, "GRPC_PORT=y", "all wrong values at once")
}

func TestVariablesWithoutUseAreSaidOnce(t *testing.T) {
	s, err := read(map[string]string{
		"EXPIRATION_JITTER_MAX_SECONDS": "10", "REDIS_PERSECOND": "true", "REDIS_PERSECOND_URL": "x:1",
		"LOCAL_CACHE_SIZE_IN_BYTES": "0", "UNKNOWN_VARIABLE": "1", "REDIS_PERSECOND_AUTH": "secret",
	})
	require.NoError(t, err)
	require.Len(t, s.Notes, 5)
	require.NotContains(t, strings.Join(s.Notes, " "), "secret")
	require.Contains(t, s.Notes, "EXPIRATION_JITTER_MAX_SECONDS is accepted and has no use: a counter ends with its window")
}

func TestListsOfPairs(t *testing.T) {
	s, err := read(map[string]string{"CONFIG_GRPC_XDS_NODE_METADATA": "a:1, b=x:y", "EXTRA_TAGS": "zone:eu=1"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "1", "b": "x:y"}, s.Source.XDS.Metadata)
	require.Equal(t, map[string]string{"zone": "eu=1"}, s.Stats.Tags)
}

// Istio's sample, as it is published.
func TestTheSampleOfAGateway(t *testing.T) {
	s, err := read(map[string]string{
		"LOG_LEVEL": "debug", "REDIS_SOCKET_TYPE": "tcp", "REDIS_URL": "redis:6379", "USE_STATSD": "false",
		"RUNTIME_ROOT": "/data", "RUNTIME_SUBDIRECTORY": "ratelimit", "RUNTIME_WATCH_ROOT": "false",
		"RUNTIME_IGNOREDOTFILES": "true", "HOST": "::", "GRPC_HOST": "::",
	})
	require.NoError(t, err)
	require.Empty(t, s.Notes)
	require.Equal(t, "::", s.Listen.GRPCHost)
	require.Equal(t, "tcp", s.Store.SocketType)
	require.False(t, s.Stats.Statsd)
}

func TestTheSocketTypeOfARedisFollowsFromItsAddress(t *testing.T) {
	for url, want := range map[string]string{"redis:6379": "tcp", "/run/redis.sock": "unix", "": "tcp"} {
		s, err := read(map[string]string{"REDIS_URL": url})
		require.NoError(t, err)
		require.Equal(t, want, s.Store.SocketType)
	}
}
