package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// runIn runs the program in a directory to its end.
func runIn(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := program(t, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	timer := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	defer timer.Stop()
	require.NoError(t, cmd.Start())
	cmd.Wait()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// write writes a file of a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestAFailedLoadIsOneLine: a start that cannot load its data says why, and nothing else: no greeting, and
// nothing about clients.
func TestAFailedLoadIsOneLine(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"restore the file from a good copy":   {"dump.rdb": "garbage that is no snapshot"},
		"appendonly.aof.manifest":             {"appendonlydir/appendonly.aof.manifest": "file nothing\n"},
		"another server uses the directory d": {},
	} {
		t.Run(want, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "d")
			require.NoError(t, os.Mkdir(dir, 0o755))
			for name, text := range files {
				write(t, filepath.Join(dir, name), text)
			}
			appendOnly := "yes"
			if files["dump.rdb"] != "" {
				appendOnly = "no"
			}
			if len(files) == 0 {
				serveProgram(t, program(t, "--port", fmt.Sprint(porttest.Free(t)), "--dir", dir))
				want = "another server uses the directory " + dir + ": stop that server, or choose another directory with --dir"
			}
			args := []string{"--bind", "127.0.0.1", "--port", fmt.Sprint(porttest.Free(t)), "--dir", dir, "--appendonly", appendOnly}
			out, errs, code := runIn(t, root, args...)
			require.Equal(t, []any{"", 1}, []any{out, code})
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
			require.Contains(t, errs, want)

			out, errs, code = runIn(t, root, append(args, "--logfile", "server.log")...)
			require.Equal(t, []any{"", 1}, []any{out, code})
			require.Contains(t, errs, want)
			log, err := os.ReadFile(filepath.Join(root, "server.log"))
			require.NoError(t, err)
			require.Equal(t, 1, bytes.Count(log, []byte("\n")), string(log))
			require.Contains(t, string(log), "the start failed")
		})
	}
}

// TestTheGreetingComesLast: who reads the greeting can use the server, and the figures of the load before it
// are true.
func TestTheGreetingComesLast(t *testing.T) {
	dir, port := t.TempDir(), fmt.Sprint(porttest.Free(t))
	cmd := program(t, "--port", port, "--dir", dir)
	serveProgram(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	for i := range 500 {
		require.Equal(t, resptest.Simple("OK"), c.Do("SET", fmt.Sprint("k", i), "v"))
	}
	require.Equal(t, resptest.Simple("OK"), c.Do("SELECT", 3))
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "k", "v"))
	c.Send("SHUTDOWN")
	require.Equal(t, 0, waitForExit(t, cmd))

	again := program(t, "--port", port, "--dir", dir)
	var out bytes.Buffer
	again.Stdout = &out
	require.NoError(t, again.Start())
	require.Eventually(t, func() bool {
		_, _, code := runToEnd(t, "", "--ping", "--port", port)
		return code == 0
	}, timeout, 10*time.Millisecond)
	c = resptest.Dial(t, "127.0.0.1:"+port)
	c.Send("SHUTDOWN", "NOW")
	require.Equal(t, 0, waitForExit(t, again))
	loaded, greeted := strings.Index(out.String(), "keys=501"), strings.Index(out.String(), "Try it")
	require.Positive(t, loaded, out.String())
	require.Greater(t, greeted, loaded, out.String())
	require.NotContains(t, out.String(), "did not read their replies")
}

// TestRelativePathsBeginWhereTheServerWasStarted, for every directive that names a file. A file that is only
// in dir is found there, as in Redis.
func TestRelativePathsBeginWhereTheServerWasStarted(t *testing.T) {
	const rules, users = "rules:\n  r:\n    limits: CL.WINDOW %d 60\n", "user default on nopass ~* &* +@all\nuser ann off\n"
	for _, test := range []struct {
		name      string
		here, dir bool
		want      int
	}{{"where it was started", true, false, 1}, {"in dir", false, true, 2}, {"in both", true, true, 1}} {
		t.Run(test.name, func(t *testing.T) {
			root, socket := filepath.Split(resptest.SocketPath(t))
			for number, place := range map[int]string{1: root, 2: filepath.Join(root, "data")} {
				require.NoError(t, os.MkdirAll(place, 0o755))
				if number == 1 && test.here || number == 2 && test.dir {
					write(t, filepath.Join(place, "rules.yaml"), fmt.Sprintf(rules, number))
					write(t, filepath.Join(place, "users.acl"), users)
				}
			}
			port := fmt.Sprint(porttest.Free(t))
			cmd := program(t, "--port", port, "--dir", "data", "--rules-file", "rules.yaml", "--aclfile", "users.acl", "--unixsocket", socket)
			cmd.Dir = root
			serveProgram(t, cmd)
			c := resptest.Dial(t, "127.0.0.1:"+port)
			require.Equal(t, int64(test.want), c.Do("CL.CHECK", "r", "k").([]any)[1])
			require.Equal(t, resptest.Simple("OK"), c.Do("ACL", "LOAD"))
			require.Len(t, c.Do("ACL", "LIST"), 2)
			require.FileExists(t, filepath.Join(root, socket))
			out, errs, code := runIn(t, root, "--check-rules", "rules.yaml")
			require.Equal(t, test.here, code == 0, out+errs)
		})
	}
}

// TestTheDocumentedBuildIsStatic builds as the pages say. A static program needs no loader.
func TestTheDocumentedBuildIsStatic(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		return // it builds the whole program
	}
	for _, page := range []string{"get-started.md", "http.md", "cluster.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		require.NoError(t, err)
		var build string
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "go build ./cmd/cellserver") {
				build = strings.TrimSpace(line)
				break
			}
		}
		require.Equal(t, "CGO_ENABLED=0 go build ./cmd/cellserver", build, page)
	}
	out := filepath.Join(t.TempDir(), "cellserver")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", out, "./cmd/cellserver")
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	file, err := elf.Open(out)
	require.NoError(t, err)
	defer file.Close()
	require.Nil(t, file.Section(".interp"), "a dynamic program names its loader")
}
