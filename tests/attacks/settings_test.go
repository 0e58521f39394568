package attacks

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// CONFIG SET refused to set a protected or immutable directive to its own value. It accepted
// notify-keyspace-events, and published nothing. Now it accepts what changes nothing, and the
// events are those of Redis (tests/differential compares all of them).
func TestSettingsAreWhatTheySay(t *testing.T) {
	s := start(t)
	s.guard(256 << 20)
	c := s.dial()
	settings := c.Do("CONFIG", "GET", "*").([]any)
	for i := 0; i < len(settings); i += 2 {
		require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", settings[i], settings[i+1]), settings[i])
	}
	require.IsType(t, resptest.Error(""), c.Do("CONFIG", "SET", "rules-file", "other.yml"))

	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "notify-keyspace-events", "KEA"))
	listener := s.dial()
	listener.Do("PSUBSCRIBE", "__key*__:*")
	c.Do("SET", "k", "v", "PX", 20)
	for _, event := range []string{"set", "expire", "expired"} {
		require.Equal(t, []any{"pmessage", "__key*__:*", "__keyspace@0__:k", event}, listener.Recv())
		require.Equal(t, []any{"pmessage", "__key*__:*", "__keyevent@0__:" + event, "k"}, listener.Recv())
	}
}
