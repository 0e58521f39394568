package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// objects requires that each line is one object with a time, a level and a message, and returns them.
func objects(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range bytes.Lines([]byte(text)) {
		var one map[string]any
		require.NoError(t, json.Unmarshal(line, &one), "%s", line)
		_, err := time.Parse(time.RFC3339Nano, fmt.Sprint(one["time"]))
		require.NoError(t, err)
		require.NotEmpty(t, one["level"])
		require.NotEmpty(t, one["msg"])
		all = append(all, one)
	}
	return all
}

// TestLogInJSON: from the start to the stop, also where the log is most talkative, each line is an object.
func TestLogInJSON(t *testing.T) {
	port, socket := fmt.Sprint(porttest.Free(t)), resptest.SocketPath(t)
	cmd := program(t, "-", "--bind", "127.0.0.1", "--port", port, "--unixsocket", socket, "--loglevel", "debug", "--http-port", fmt.Sprint(porttest.Free(t)),
		"--http-max-connections", "100000", "--maxclients", "10000000")
	cmd.Stdin = bytes.NewReader([]byte("log-format json\nlist-compress-depth 0\nloadmodule a\n"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, _, code := runToEnd(t, "", "ping", "--port", port)
		return code == 0
	}, timeout, 10*time.Millisecond)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Contains(
		t,
		c.Do("EVAL", "redis.log(redis.LOG_WARNING, 'a \"text\"\\n of a script') return {ok='PONG'}", 0),
		"PONG",
	)
	http := resptest.Dial(t, "127.0.0.1:"+port)
	http.Write([]byte("POST / HTTP/1.1\r\n"))
	http.ReadAll()
	require.Equal(t, resptest.Simple("Background append only file rewriting started"), c.Do("BGREWRITEAOF"))
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 0, waitForExit(t, cmd))
	require.Empty(t, errs.String())
	fields := map[any]map[string]any{}
	for _, one := range objects(t, out.String()) {
		fields[one["msg"]] = one
	}
	ready := fields["ready to accept connections"]
	require.Equal(
		t,
		[]any{"notice", []any{"127.0.0.1:" + port, socket}},
		[]any{ready["level"], ready["addresses"]},
	)
	require.Equal(t, "10s", fields["stopping"]["timeout"])
	require.Contains(t, fields, "stopped")
}

// TestEarlyErrorsInJSON: a start that fails says so in the form of its log, wherever the fault is.
func TestEarlyErrorsInJSON(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "first.conf"), "log-format json\nprot 1\n")
	write(t, filepath.Join(dir, "wrong.conf"), "prot 1\n")
	write(t, filepath.Join(dir, "d", "dump.rdb"), "garbage")
	for want, args := range map[string][]string{
		"first.conf:2: unknown directive 'prot'": {"first.conf"},
		"wrong.conf:1: unknown directive 'prot'": {"wrong.conf", "--log-format", "json"},
		"command line: unknown directive 'prot'": {"--prot", "1", "--log-format=json"},
		"set port, tls-port or unixsocket":       {"--port", "0", "--log-format", "json"},
		"cannot write the logfile no/such":       {"--logfile", "no/such", "--log-format", "json"},
		"restore the file from a good copy": {
			"--dir", "d", "--appendonly", "no", "--log-format", "json",
		},
		"'doctr' is no command":                    {"doctr", "--log-format", "json"},
		"argument(s) must be one of the following": {"--log-format", "jsn"},
	} {
		_, errs, code := runIn(t, dir, append(args, "--bind", "127.0.0.1")...)
		require.Equal(t, 1, code, args)
		if args[len(args)-1] == "jsn" {
			require.Contains(t, errs, "cellserver: command line: log-format: "+want)
			continue
		}
		all := objects(t, errs)
		require.Len(t, all, 1)
		require.Equal(t, []any{"the server ends", "warning"}, []any{all[0]["msg"], all[0]["level"]})
		require.Contains(t, all[0]["error"], want)
	}
	cmd := program(t, filepath.Join(dir, "wrong.conf"))
	cmd.Env = append(cmd.Env, "CELLSERVER_LOG_FORMAT=json")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.Error(t, cmd.Run())
	require.Len(t, objects(t, errs.String()), 1)
}

// TestLogFormatFollowsConfigSet, in the same file. Valkey's name of the text is known.
func TestLogFormatFollowsConfigSet(t *testing.T) {
	port, log := fmt.Sprint(porttest.Free(t)), filepath.Join(t.TempDir(), "log")
	require.NoError(t, program(t, "--port", port, "--log-format", "legacy", "--logfile", log).Start())
	require.Eventually(t, func() bool {
		_, _, code := runToEnd(t, "", "ping", "--port", port)
		return code == 0
	}, timeout, 10*time.Millisecond)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	last := func() string {
		c.Do("EVAL", "redis.log(redis.LOG_WARNING, ARGV[1])", 0, "of a script")
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return lines[len(lines)-1]
	}
	require.Equal(t, []any{"log-format", "text"}, c.Do("CONFIG", "GET", "log-format"))
	require.Contains(t, last(), `level=warning msg="of a script"`)
	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "log-format", "json"))
	require.Equal(t, "of a script", objects(t, last())[0]["msg"])
	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "log-format", "text"))
	require.Contains(t, last(), `level=warning msg="of a script"`)
}
