package configload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHideArgs(t *testing.T) {
	for _, test := range []struct{ args, want []string }{
		{nil, nil},
		{[]string{"--port", "1", "--requirepass", "secret", "--hz", "10"}, []string{"--port", "1", "--requirepass", "******", "--hz", "10"}},
		{[]string{"file.conf", "--RequirePass=a=b"}, []string{"file.conf", "--RequirePass=***"}},
		{[]string{"--requirepass 'a b'", "-"}, []string{"--requirepass *****", "-"}},
		{[]string{"--requirepass", "--secret"}, []string{"--requirepass", "********"}},
		{[]string{"--requirepass"}, []string{"--requirepass"}},
		{[]string{"--requirepass", "a", "b", "--x"}, []string{"--requirepass", "*", "*", "--x"}},
		{[]string{"--ping", "--requirepass", "secret"}, []string{"--ping", "--requirepass", "******"}},
		{[]string{"--primaryauth", "secret"}, []string{"--primaryauth", "******"}},
		{[]string{"--'", "--port", "--requirepass"}, []string{"--'", "--port", "--requirepass"}},
	} {
		require.Equal(t, test.want, HideArgs(test.args))
	}
}

func TestHideEnviron(t *testing.T) {
	require.Equal(t, []string{"REQUIREPASS=secret", "CELLSERVER_REQUIREPASS=******", "CELLSERVER_PORT=1", "CELLSERVER_REQUIREPASS="},
		HideEnviron([]string{"REQUIREPASS=secret", "CELLSERVER_REQUIREPASS=secret", "CELLSERVER_PORT=1", "CELLSERVER_REQUIREPASS="}))
}

func TestHidePasswordsOfUsers(t *testing.T) {
	require.Equal(t, []string{"--user", "*****", "**", "*******", "--hz", "5"}, HideArgs([]string{"--user", "alice", "on", ">secret", "--hz", "5"}))
	require.Equal(t, []string{"CELLSERVER_USER=****************"}, HideEnviron([]string{"CELLSERVER_USER=alice on >secret"}))
}
