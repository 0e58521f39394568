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
	"cellserver/internal/notices"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// runAsProgram is an environment variable. If it is set, the test binary runs main in place of the tests.
const runAsProgram = "TEST_AS_CELLSERVER"

func TestMain(m *testing.M) {
	if os.Getenv(runAsProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// timeout bounds each wait of a test for the program.
const timeout = time.Minute

// program returns the command that runs cellserver with these arguments. The end of the test kills it.
func program(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), runAsProgram+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// runToEnd runs the program to its end. It kills the program after the timeout.
func runToEnd(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	cmd := program(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	timer := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	defer timer.Stop()
	require.NoError(t, cmd.Start())
	cmd.Wait()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// serveProgram starts the program and returns when it has its data. Clients before that may get LOADING, if
// the disk is slow.
func serveProgram(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for line := ""; !strings.Contains(line, "ready to accept connections"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	go io.Copy(io.Discard, lines)
}

// waitForExit waits for the end of a program and returns its exit code. The code is -1 if a signal ended it.
func waitForExit(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func TestHelpAndVersion(t *testing.T) {
	out, errs, code := runToEnd(t, "", "--help")
	require.Equal(t, []any{help(), "", 0}, []any{out, errs, code})
	out, errs, code = runToEnd(t, "", "--version")
	require.Equal(t, []any{"cellserver " + app.Version + "\n", "", 0}, []any{out, errs, code})
}

func TestLicenses(t *testing.T) {
	out, errs, code := runToEnd(t, "", "--licenses")
	require.Equal(t, []any{notices.Text, "", 0}, []any{out, errs, code})
}

func TestCheckRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte("rules:\n  login:\n    limits: CL.THROTTLE 4 5 60\n  api:\n    limits: 100/minute\n"), 0o600))
	out, errs, code := runToEnd(t, "", "--check-rules", file)
	require.Equal(t, []any{file + " is right. Its rules: 2\n  api: 100/minute = CL.LOG 100 60\n" +
		"  login: 5/minute burst 5 = CL.THROTTLE 4 5 60\n", "", 0}, []any{out, errs, code})
	require.NoError(t, os.WriteFile(file, []byte("rules:\n  login:\n    limits: CL.THROTLE 4 5 60\n"), 0o600))
	out, errs, code = runToEnd(t, "", "--check-rules", file)
	require.Equal(t, []any{"", 1}, []any{out, code})
	require.Contains(t, errs, "rules.yaml:3: rule login: limit \"CL.THROTLE 4 5 60\": 'CL.THROTLE' is not a limiter of a rule: use CL.THROTTLE")
	for _, wrong := range [][]string{
		{"--check-rules"}, {"--check-rules", file, "more"}, {"--check-rules", "/no/such/rules"},
	} {
		_, errs, code = runToEnd(t, "", wrong...)
		require.Equal(t, 1, code)
		require.Contains(t, errs, "rules")
	}
}

func TestDoctor(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	address := "127.0.0.1:" + port
	cmd := program(t, "--port", port, "--dir", t.TempDir(), "--requirepass", "secret", "--metrics-top-keys", "10")
	serveProgram(t, cmd)
	defer cmd.Process.Kill()
	out, errs, code := runToEnd(t, "", "--doctor", address)
	require.Equal(t, []any{"", 1}, []any{out, code})
	require.Contains(t, errs, "add --requirepass")
	c := resptest.Dial(t, address)
	require.Equal(t, resptest.Simple("OK"), c.Do("AUTH", "secret"))
	for range 200 {
		c.Do("CL.WINDOW", "ann", 1, 3600)
	}
	out, errs, code = runToEnd(t, "", "--doctor", address, "--requirepass", "secret")
	require.Equal(t, []any{"", 0}, []any{errs, code})
	require.LessOrEqual(t, strings.Count(out, "\n"), 20)
	require.Contains(t, out, "limits    1 action allowed, 199 refused (99.5 %)\n")
	require.Contains(t, out, "refused   \"ann\" 199 times\n")
	require.Contains(t, out, "what to do\n  ask CL.TOP 10: ")
	require.Equal(t, resptest.Simple("OK"), c.Do("ACL", "SETUSER", "watcher", "on", ">look", "+@read", "+@admin", "+@slow", "+ping", "+info", "~*"))
	out, errs, code = runToEnd(t, "", "--doctor", address, "--user", "watcher", "--requirepass", "look")
	require.Equal(t, []any{"", 0}, []any{errs, code})
	require.Contains(t, out, "limits    1 action allowed, 199 refused (99.5 %)\n")
	_, errs, code = runToEnd(t, "", "--doctor", address, "--user", "watcher", "--requirepass", "wrong")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "WRONGPASS")
	_, errs, code = runToEnd(t, "", "--doctor", address, "--user")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "--user needs NAME: cellserver doctor")
}

// TestDoctorWithoutAWholeAddress completes the address as --ping does, and names what is wrong.
func TestDoctorWithoutAWholeAddress(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	serveProgram(t, program(t, "--port", port, "--dir", t.TempDir()))
	for _, args := range [][]string{{"--port", port}, {"127.0.0.1:" + port}, {"127.0.0.1", "--port", port}, {"localhost", "--port=" + port}} {
		out, errs, code := runToEnd(t, "", append([]string{"--doctor"}, args...)...)
		require.Equal(t, []any{"", 0}, []any{errs, code}, args)
		require.Contains(t, out, ":"+port)
	}
	nobody := fmt.Sprint(porttest.Free(t))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--port", nobody}, "no server answers at 127.0.0.1:" + nobody + " (connect: connection refused)"},
		{[]string{"--port", nobody}, "a server that listens elsewhere: cellserver doctor HOST:PORT"},
		{[]string{"127.0.0.1", "--port", nobody}, "no server answers at 127.0.0.1:" + nobody},
		{[]string{"::1", "--port", nobody}, "no server answers at [::1]:" + nobody},
		{[]string{"localhost:http-alt"}, `doctor localhost:http-alt: "http-alt" is no port`},
		{[]string{"localhost:0"}, `"0" is no port: give a number from 1 to 65535`},
		{[]string{"localhost:"}, "the port is missing: cellserver doctor localhost:6379"},
		{[]string{"--tls"}, "doctor needs the address of the port for TLS"},
		{[]string{"--port", "0", "--unixsocket", "s"}, "the address of a server, because port is 0"},
		{[]string{"--requirepas", "x"}, "did you mean 'requirepass'?"},
	} {
		out, errs, code := runToEnd(t, "", append([]string{"--doctor"}, test.args...)...)
		require.Equal(t, []any{"", 1}, []any{out, code}, test.args)
		require.Contains(t, errs, test.want)
	}
	out, errs, code := runToEnd(t, "", "--doctor", "--help")
	require.Equal(t, []any{find("doctor").help(), "", 0}, []any{out, errs, code})
}

// TestDoctorTLS: the options of the doctor reach it, and a wrong use has a sentence.
func TestDoctorTLS(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	address := "127.0.0.1:" + port
	cmd := program(t, "--port", port, "--dir", t.TempDir())
	serveProgram(t, cmd)
	defer cmd.Process.Kill()
	for want, options := range map[string][]string{
		"--cacert: open /no/such/file":     {"--tls", "--cacert", "/no/such/file"},
		"--cert and --key: open /no/a":     {"--tls", "--cert", "/no/a", "--key", "/no/b"},
		"--cert and --key belong together": {"--tls", "--cert", "a.crt"},
		"and --insecure need --tls":        {"--cacert", "ca.crt"},
		"--key needs FILE":                 {"--tls", "--key"},
		"unknown directive 'insecur'":      {"--tls", "--insecur"},
	} {
		_, errs, code := runToEnd(t, "", append([]string{"--doctor", address}, options...)...)
		require.Equal(t, 1, code)
		require.Contains(t, errs, want)
	}
}

func TestStartErrorsAreOneLine(t *testing.T) {
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
		{[]string{"--dir", "/no/such/dir"}, "dir /no/such/dir: no such file or directory: create it, or choose another dir"},
		{[]string{"--ping", "--prot", "1"}, "command line: unknown directive 'prot': did you mean 'port'?"},
	} {
		out, errs, code := runToEnd(t, "", test.args...)
		require.Equal(t, []any{"", "cellserver: " + test.want + "\n", 1}, []any{out, errs, code})
	}
}

// The environment overrides a file, and the command line overrides the environment.
func TestConfigurationEndToEnd(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	file := filepath.Join(t.TempDir(), "redis.conf")
	text := "# made for redis\nport 1\nmaxmemory 10mb\nmaxmemory-policy allkeys-lru\ntimeout 7\nsave 900 1\nrequirepass \"a b\"\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := program(t, file, "--port", port, "--timeout", "9")
	cmd.Env = append(cmd.Env, "CELLSERVER_MAXMEMORY=20mb", "CELLSERVER_TIMEOUT=8")
	serveProgram(t, cmd)
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
	port := fmt.Sprint(porttest.Free(t))
	cmd := program(t, "-")
	cmd.Stdin = strings.NewReader("port " + port + "\ndatabases 3\n")
	serveProgram(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, []any{"databases", "3"}, c.Do("CONFIG", "GET", "databases"))
}

func TestPing(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	_, errs, code := runToEnd(t, "", "--ping", "--port", port)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "connection refused")
	socket := resptest.SocketPath(t)
	serveProgram(t, program(t, "--port", port, "--unixsocket", socket, "--requirepass", "x"))
	for _, args := range [][]string{{"--port", port}, {"--bind", "*", "--port", port}, {"--port", "0", "--unixsocket", socket}} {
		_, errs, code = runToEnd(t, "", append([]string{"--ping"}, args...)...)
		require.Equal(t, []any{"", 0}, []any{errs, code})
	}
}

// TestPingOfAFullServer: it answers, so nobody restarts it. It may close a connection before the request comes.
func TestPingOfAFullServer(t *testing.T) {
	port, socket := fmt.Sprint(porttest.Free(t)), resptest.SocketPath(t)
	serveProgram(t, program(t, "--port", port, "--unixsocket", socket, "--maxclients", "1"))
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	_, errs, code := runToEnd(t, "", "--ping", "--port", port)
	require.Equal(t, []any{"", 0}, []any{errs, code})
	require.Contains(t, c.Do("INFO", "stats"), "rejected_connections:1\r\n")
	for range 100 {
		require.NoError(t, ping(request{config: &config.Config{UnixSocket: socket}}))
	}
}

func TestSignalsAndShutdownExitWithZero(t *testing.T) {
	for _, how := range []string{"SIGTERM", "SIGINT", "SHUTDOWN"} {
		t.Run(how, func(t *testing.T) {
			port := fmt.Sprint(porttest.Free(t))
			cmd := program(t, "--port", port)
			serveProgram(t, cmd)
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
			require.Equal(t, 0, waitForExit(t, cmd))
		})
	}
}

// TestNobodyReadsTheLog: the program that read it has ended.
func TestNobodyReadsTheLog(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	cmd := program(t, "--port", port)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = writer
	require.NoError(t, cmd.Start())
	require.NoError(t, writer.Close())
	lines := bufio.NewScanner(reader)
	for lines.Scan() && !strings.Contains(lines.Text(), "ready to accept connections") {
	}
	require.NoError(t, lines.Err())
	require.NoError(t, reader.Close())
	c := resptest.Dial(t, "127.0.0.1:"+port)
	require.Contains(t, fmt.Sprint(c.Do("BGREWRITEAOF")), "started", "the log has lines about it")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 0, waitForExit(t, cmd))
}

func TestHangupReloadsTheRules(t *testing.T) {
	port, file := fmt.Sprint(porttest.Free(t)), filepath.Join(t.TempDir(), "rules.yaml")
	rules := func(limit int) {
		text := fmt.Sprintf("rules:\n  r:\n    limits: CL.WINDOW %d 60\n", limit)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))) // the same time, so that only the signal makes a difference
	}
	rules(10)
	cmd := program(t, "--port", port, "--rules-file", file)
	serveProgram(t, cmd)
	c := resptest.Dial(t, "127.0.0.1:"+port)
	rules(20)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool {
		reply, ok := c.Do("CL.CHECK", "r", "k", 0).([]any)
		return ok && reply[1] == int64(20)
	}, timeout, time.Millisecond)
}

// After the first signal the server waits for a client that does not read. The second signal ends the process.
func TestSecondSignalExitsAtOnce(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	cmd := program(t, "--port", port, "--shutdown-timeout", "1000")
	serveProgram(t, cmd)
	c, other := resptest.Dial(t, "127.0.0.1:"+port), resptest.Dial(t, "127.0.0.1:"+port)
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "big", strings.Repeat("x", 8<<20)))
	c.Write(bytes.Repeat(resptest.Command("GET", "big"), 4))
	require.Eventually(t, func() bool {
		return regexp.MustCompile(`omem=[1-9]\d{6}`).MatchString(fmt.Sprint(other.Do("CLIENT", "LIST")))
	}, timeout, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Empty(t, other.ReadAll())
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 1, waitForExit(t, cmd))
}

// A killed server leaves its socket behind. The next start replaces it.
func TestStartAfterKill(t *testing.T) {
	port, socket := fmt.Sprint(porttest.Free(t)), resptest.SocketPath(t)
	for range 2 {
		cmd := program(t, "--port", port, "--unixsocket", socket)
		serveProgram(t, cmd)
		require.Equal(t, resptest.Simple("PONG"), resptest.Dial(t, socket).Do("PING"))
		require.NoError(t, cmd.Process.Kill())
		require.Equal(t, -1, waitForExit(t, cmd))
		require.FileExists(t, socket)
	}
}
