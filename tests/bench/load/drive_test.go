package load

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestCommandsAreWhatRedisBenchmarkSends(t *testing.T) {
	require.Equal(t, "key:000000000007", Key("key:", 7))
	require.Equal(t, "x123456789012", Key("x", 123_456_789_012))
	require.Equal(t, resptest.Command("SET", "key", "", "0123456789"), Command(nil, "SET", "key", "", "0123456789"))
}

func TestDigitsMayDiffer(t *testing.T) {
	require.True(t, matches([]byte(":1\r\n:907\r\n"), []byte(":1\r\n:???\r\n")))
	require.False(t, matches([]byte(":1\r\n:-07\r\n"), []byte(":1\r\n:???\r\n")))
	require.False(t, matches([]byte(":2\r\n:907\r\n"), []byte(":1\r\n:???\r\n")))
	any := []byte{'a', 't', AnyByte, AnyByte, '.'}
	require.True(t, matches([]byte("at 3."), any))
	require.False(t, matches([]byte("at 3!"), any))
}

func TestPercentile(t *testing.T) {
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(1000-i))
	}
	require.Equal(t, time.Duration(500), Percentile(all, 0.5))
	require.Equal(t, time.Duration(999), Percentile(all, 0.999))
	require.Equal(t, time.Duration(1000), Percentile(all, 1))
	require.Equal(t, time.Duration(7), Percentile([]time.Duration{7}, 0.5))
	require.Zero(t, Percentile(nil, 0.5))
}
