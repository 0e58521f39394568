package value

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// accepts checks that a kind parses each text, and shows it as want.
func accepts[T any](t *testing.T, k Kind[T], want map[string]string) {
	t.Helper()
	for text, shown := range want {
		v, err := k.Parse([]string{text})
		require.NoError(t, err, "%q", text)
		require.Equal(t, shown, k.Format(v), "%q", text)
	}
}

// refuses checks that a kind refuses each text with the error.
func refuses[T any](t *testing.T, k Kind[T], want string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := k.Parse([]string{text})
		require.EqualError(t, err, want, "%q", text)
	}
}

func TestWords(t *testing.T) {
	accepts(t, YesNo, map[string]string{"yes": "yes", "NO": "no"})
	refuses(t, YesNo, "argument must be 'yes' or 'no'", "", "maybe", "1")
	size := Enum("small", "large")
	accepts(t, size, map[string]string{"SMALL": "small"})
	refuses(t, size, "argument(s) must be one of the following: small, large", "", "tiny")
	_, err := Text.Parse([]string{"a", "b"})
	require.ErrorIs(t, err, ErrArgs)
}

func TestNumbers(t *testing.T) {
	accepts(t, Int(-1, 10), map[string]string{"-1": "-1", "10": "10"})
	refuses(t, Int(-1, 10), "argument must be between -1 and 10 inclusive", "-2", "11")
	refuses(t, Int(-1, 10), "argument couldn't be parsed into an integer", "", "+1", "007", " 1", "1.5")
	accepts(t, Memory(0, math.MaxInt64), map[string]string{"1k": "1000", "1KB": "1024", "2g": "2000000000", "kb": "0", "7": "7"})
	refuses(t, Memory(0, math.MaxInt64), "argument must be a memory value", "1tb", "-1", "9223372036854775808", "9223372036854775807kb")
	accepts(t, MemoryOrPercent, map[string]string{"5%": "5%", "1kb": "1024"})
	refuses(t, MemoryOrPercent, "percentage argument must be less or equal to 100", "101%")
	accepts(t, Octal, map[string]string{"0755": "755"})
	refuses(t, Octal, "argument must be between 0 and 777 inclusive", "1000", "-1")
}

func TestLists(t *testing.T) {
	v, err := Percentiles.Parse([]string{"50", "99.90"})
	require.NoError(t, err)
	require.Equal(t, "50 99.9", Percentiles.Format(v))
	_, err = Addresses.Parse(make([]string, 17))
	require.EqualError(t, err, "Too many bind addresses specified.")
	v2, err := Hostnames.Parse([]string{"box.lan", "host.docker.internal", "my_app"})
	require.NoError(t, err)
	require.Equal(t, "box.lan host.docker.internal my_app", Hostnames.Format(v2))
	none, err := Hostnames.Parse([]string{""})
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = Hostnames.Parse([]string{"box.lan", "http://box"})
	require.EqualError(t, err, "Hostnames may only contain alphanumeric characters, hyphens or dots")
	_, err = Hostnames.Parse([]string{"box.lan", ""})
	require.EqualError(t, err, "a host name is empty")
	_, err = Hostnames.Parse(make([]string, 17))
	require.EqualError(t, err, "there are more than 16 host names")
	flags, err := SignalFlags.Parse([]string{"NOW", "save"})
	require.NoError(t, err)
	require.Equal(t, "save now", SignalFlags.Format(flags))
}
