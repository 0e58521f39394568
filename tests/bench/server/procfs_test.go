package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInfoField(t *testing.T) {
	info := "# Stats\r\ntotal_connections_received:2\r\ntotal_commands_processed:345\r\ntotal_error_replies:many\r\n"
	n, err := infoField(info, "total_commands_processed")
	require.NoError(t, err)
	require.Equal(t, int64(345), n)
	_, err = infoField(info, "total_error_replies")
	require.ErrorContains(t, err, "many")
	_, err = infoField(info, "total_commands")
	require.ErrorContains(t, err, "INFO: total_commands: ")
}

func TestResident(t *testing.T) {
	n, err := parseResident("Name:\tx\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n")
	require.NoError(t, err)
	require.Equal(t, int64(10<<20), n)
	_, err = parseResident("Name:\tx\n")
	require.Error(t, err)
}

func TestProcesses(t *testing.T) {
	used, kernel, err := parseProcess("42 (a) b (c) S 7 42 42 0 -1 4194304 1 2 3 4 250 50 30 20 20 0 1 0 5 6 7 8\n")
	require.NoError(t, err)
	require.False(t, kernel)
	require.Equal(t, 3500*time.Millisecond, used)
	_, kernel, err = parseProcess("99 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 20 0 1 0 5 6 7 8\n")
	require.NoError(t, err)
	require.True(t, kernel)
	_, _, err = parseProcess("42 (x) S 7\n")
	require.Error(t, err)
	_, _, err = parseProcess("42 (x) S 7 42 42 0 -1 4194304 1 2 3 4 many 50 30 20 20 0 1 0 5 6 7 8\n")
	require.Error(t, err)

	steal, err := parseSteal("cpu  1 2 3 4 5 6 7 850 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n")
	require.NoError(t, err)
	require.Equal(t, 8500*time.Millisecond, steal)
	_, err = parseSteal("intr 1\n")
	require.Error(t, err)
}
