package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// asProgram in the environment makes the test binary the program itself.
const asProgram = "TEST_AS_CELLSERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for the program.
const patience = 20 * time.Second

// program is cellserver with these arguments, not yet started; it is killed when it takes
// too long, and with the test.
func program(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// runs runs the program to its end.
func runs(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	cmd := program(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	require.NoError(t, cmd.Start())
	cmd.Wait()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// serve starts the program and returns once it says that it listens.
func serve(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for line := ""; !strings.Contains(line, "listens on"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	go io.Copy(io.Discard, lines)
}

// ends waits for a program's end and returns its exit code, -1 when a signal ended it.
func ends(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func freePort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	return port
}

func TestWhatIsAskedInsteadOfAServer(t *testing.T) {
	out, errs, code := runs(t, "", "--help")
	require.Equal(t, []any{config.Usage(), "", 0}, []any{out, errs, code})
	out, errs, code = runs(t, "", "--version")
	require.Equal(t, []any{"cellserver " + app.Version + "\n", "", 0}, []any{out, errs, code})
}

func TestFaultsAreOneLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--port", port}, "cannot listen on 127.0.0.1:" + port + ": address already in use: stop what listens there, or choose another port with --port"},
		{[]string{"--prot", "1"}, "command line: unknown directive 'prot': did you mean 'port'?"},
		{[]string{"/no/such/file"}, "can't open config file '/no/such/file': open /no/such/file: no such file or directory"},
		{[]string{"--dir", "/no/such/dir"}, "dir /no/such/dir: no such file or directory"},
		{[]string{"--ping", "--prot", "1"}, "command line: unknown directive 'prot': did you mean 'port'?"},
	} {
		out, errs, code := runs(t, "", test.args...)
		require.Equal(t, []any{"", "cellserver: " + test.want + "\n", 1}, []any{out, errs, code})
	}
}

// A file, the environment and the command line, each over the one before.
func TestConfigurationEndToEnd(t *testing.T) {
	port := freePort(t)
	file := filepath.Join(t.TempDir(), "redis.conf")
	text := "# made for redis\nport 1\nmaxmemory 10mb\nmaxmemory-policy allkeys-lru\ntimeout 7\nsave 900 1\nrequirepass \"a b\"\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := program(t, file, "--port", port, "--timeout", "9")
	cmd.Env = append(cmd.Env, "CELLSERVER_MAXMEMORY=20mb", "CELLSERVER_TIMEOUT=8")
	serve(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, resptest.Simple("OK"), c.Do("AUTH", "a b"))
	for name, want := range map[string]string{
		"port": port, "maxmemory": "20971520", "maxmemory-policy": "allkeys-lru", "timeout": "9", "save": "900 1", "maxclients": "10000",
	} {
		require.Equal(t, []any{name, want}, c.Do("CONFIG", "GET", name))
	}
	require.Contains(t, c.Do("INFO", "server"), "config_file:"+file+"\r\n")
}

func TestConfigurationFromStandardInput(t *testing.T) {
	port := freePort(t)
	cmd := program(t, "-")
	cmd.Stdin = strings.NewReader("port " + port + "\ndatabases 3\n")
	serve(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, []any{"databases", "3"}, c.Do("CONFIG", "GET", "databases"))
}

func TestPing(t *testing.T) {
	port := freePort(t)
	_, errs, code := runs(t, "", "--ping", "--port", port)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "connection refused")
	socket := filepath.Join(t.TempDir(), "s")
	serve(t, program(t, "--port", port, "--unixsocket", socket, "--requirepass", "x"))
	for _, args := range [][]string{{"--port", port}, {"--bind", "*", "--port", port}, {"--port", "0", "--unixsocket", socket}} {
		_, errs, code = runs(t, "", append([]string{"--ping"}, args...)...)
		require.Equal(t, []any{"", 0}, []any{errs, code})
	}
}

func TestSignalsAndShutdownEndWithZero(t *testing.T) {
	for _, how := range []string{"SIGTERM", "SIGINT", "SHUTDOWN"} {
		t.Run(how, func(t *testing.T) {
			port := freePort(t)
			cmd := program(t, "--port", port)
			serve(t, cmd)
			c := resptest.Dial(t, "127.0.0.1:"+port)
			require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
			switch how {
			case "SIGTERM":
				require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			case "SIGINT":
				require.NoError(t, cmd.Process.Signal(os.Interrupt))
			default:
				c.Send("SHUTDOWN", "NOSAVE")
			}
			require.Empty(t, c.ReadAll())
			require.Equal(t, 0, ends(t, cmd))
		})
	}
}

func TestHangupReadsTheRulesAgain(t *testing.T) {
	port, file := freePort(t), filepath.Join(t.TempDir(), "rules.yaml")
	rules := func(limit int) {
		text := fmt.Sprintf("rules:\n  r:\n    limits: CL.WINDOW %d 60\n", limit)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))) // it looks as before
	}
	rules(10)
	cmd := program(t, "--port", port, "--rules-file", file)
	serve(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	rules(20)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool {
		reply, is := c.Do("CL.CHECK", "r", "k", 0).([]any) // or an error, while it is loading
		return is && reply[1] == int64(20)
	}, patience, time.Millisecond)
}

// A first signal waits for a client that does not read, a second one does not.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	port := freePort(t)
	cmd := program(t, "--port", port, "--shutdown-timeout", "1000")
	serve(t, cmd)
	c, other := resptest.Dial(t, "127.0.0.1:"+port), resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "big", strings.Repeat("x", 8<<20)))
	c.Write(bytes.Repeat(resptest.Command("GET", "big"), 4))
	require.Eventually(t, func() bool {
		return regexp.MustCompile(`omem=[1-9]\d{6}`).MatchString(fmt.Sprint(other.Do("CLIENT", "LIST")))
	}, patience, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Empty(t, other.ReadAll())
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 1, ends(t, cmd))
}

// Whoever is killed leaves a socket behind; the next start takes its place.
func TestStartAfterKill(t *testing.T) {
	port, socket := freePort(t), filepath.Join(t.TempDir(), "s")
	for range 2 {
		cmd := program(t, "--port", port, "--unixsocket", socket)
		serve(t, cmd)
		require.Equal(t, resptest.Simple("PONG"), resptest.Dial(t, socket).Do("PING"))
		require.NoError(t, cmd.Process.Kill())
		require.Equal(t, -1, ends(t, cmd))
		require.FileExists(t, socket)
	}
}
