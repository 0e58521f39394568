package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// slow runs a command that takes some milliseconds of the test clock.
func slow(h *servertest.Harness, millis int) {
	h.T.Helper()
	h.Want(fmt.Sprintf("DEBUG CLOCK ADVANCE %d", millis*1e6), ok)
}

func TestSlowlog(t *testing.T) {
	h := servertest.New(t)
	h.Want("SLOWLOG GET", []any{})
	slow(h, 10)
	slow(h, 9)
	h.Want("SLOWLOG LEN", 1)
	h.Want("SLOWLOG GET", []any{[]any{0, int(servertest.Start / 1e9), 10000, []string{"DEBUG", "CLOCK", "ADVANCE", "10000000"}, "127.0.0.1:50001", ""}})
	h.Want("SLOWLOG RESET", ok)
	h.Want("SLOWLOG LEN", 0)
	slow(h, 20)
	require.EqualValues(t, 1, h.Do("SLOWLOG GET").([]any)[0].([]any)[0], "ids go on")
}

func TestSlowlogBounds(t *testing.T) {
	h := servertest.New(t, "--slowlog-max-len", "3")
	for i := range 5 {
		slow(h, 20+i)
	}
	ids := func(line string) (ids []any) {
		for _, e := range h.Do(line).([]any) {
			ids = append(ids, e.([]any)[0])
		}
		return ids
	}
	require.Equal(t, []any{int64(4), int64(3), int64(2)}, ids("SLOWLOG GET -1"))
	require.Equal(t, []any{int64(4)}, ids("SLOWLOG GET 1"))
	require.Empty(t, ids("SLOWLOG GET 0"))
	for _, n := range []string{"-2", "x", "1.5", ""} {
		h.Want(`SLOWLOG GET "`+n+`"`, commands.Error("ERR count should be greater than or equal to -1"))
	}
	h.Want("SLOWLOG GET 1 2", commands.Error("ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP."))
	h.Want("CONFIG SET slowlog-max-len 1 slowlog-log-slower-than -1", ok)
	slow(h, 1000)
	require.Len(t, ids("SLOWLOG GET -1"), 3, "nothing is slow any more")
	h.Want("CONFIG SET slowlog-log-slower-than 0", ok)
	require.Equal(t, []any{int64(5)}, ids("SLOWLOG GET"))
}

func TestSlowlogShortensArguments(t *testing.T) {
	h := servertest.New(t, "--slowlog-log-slower-than", "0")
	args := []any{"MGET"}
	for range 40 {
		args = append(args, strings.Repeat("x", 130))
	}
	h.Do(args...)
	logged := h.Do("SLOWLOG GET 1").([]any)[0].([]any)[3].([]any)
	require.Len(t, logged, 32)
	require.Equal(t, strings.Repeat("x", 128)+"... (2 more bytes)", logged[30])
	require.Equal(t, "... (10 more arguments)", logged[31])
}

func TestSlowlogHidesSecrets(t *testing.T) {
	h := servertest.New(t, "--slowlog-log-slower-than", "0", "--requirepass", "secret")
	h.Want("AUTH default secret", ok)
	h.Do("HELLO 2 AUTH default secret SETNAME me")
	h.Want("CONFIG SET hz 9 requirepass secret2", ok)
	h.Want("CONFIG SET requirepass secret2 nope 3 requirepass secret3", commands.Error("ERR Unknown option or number of arguments for CONFIG SET - 'nope'"))
	h.Do("AUTH secret2")
	for _, line := range []string{
		"CONFIG SET requirepas secret", "CONFIG SET requirepass my secret", "CONFIG SET requirepass my secret 1 2",
		"ACL DRYRUN default AUTH default secret", "ACL DRYRUN default CONFIG SET requirepass secret",
		"COMMAND GETKEYS AUTH default secret", "COMMAND GETKEYSANDFLAGS CONFIG SET requirepass secret",
	} {
		h.Do(line)
	}
	require.NotContains(t, fmt.Sprint(h.Do("SLOWLOG GET -1")), "secret")
	require.Contains(t, fmt.Sprint(h.Do("SLOWLOG GET -1")), "(redacted)")
}
