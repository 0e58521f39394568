package config

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// redis is a connection to a real redis-server.
type redis struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// startRedis starts redis-server on a unix socket, in a temporary directory.
func startRedis(t *testing.T) *redis {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		skip(t, "redis-server is not installed")
	}
	dir, err := os.MkdirTemp("", "config") // t.TempDir may be too long for a socket's path
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(path, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "",
		"--daemonize", "no", "--enable-protected-configs", "yes")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for log := bufio.NewScanner(out); log.Scan(); {
		if strings.Contains(log.Text(), "ready to accept connections") {
			break
		}
	}
	go io.Copy(io.Discard, out)
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &redis{t, conn, bufio.NewReader(conn)}
}

// do sends a command and returns the lines of its reply: bulk strings, or one status or error.
func (r *redis) do(args ...string) []string {
	fmt.Fprintf(r.conn, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(r.conn, "$%d\r\n%s\r\n", len(arg), arg)
	}
	head := r.line()
	if head[0] != '*' {
		return []string{head}
	}
	n, err := strconv.Atoi(head[1:])
	require.NoError(r.t, err)
	reply := make([]string, n)
	for i := range reply {
		size, err := strconv.Atoi(r.line()[1:])
		require.NoError(r.t, err)
		buf := make([]byte, size+2)
		_, err = io.ReadFull(r.in, buf)
		require.NoError(r.t, err)
		reply[i] = string(buf[:size])
	}
	return reply
}

func (r *redis) line() string {
	line, err := r.in.ReadString('\n')
	require.NoError(r.t, err)
	return strings.TrimRight(line, "\r\n")
}

var triedValues = []string{
	"", "yes", "NO", "maybe", "0", "1", "-1", "5", "007", "+1", "-0", " 1", "1 ", "1.5", "1e3", "0x10", "70000", "600",
	"2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
	"2mb", "2MB", "3m", "4kb", "5K", "1gb", "1b", "-1kb", "1tb", "1 kb", "kb", "10%", "0%", "101%", "-5%", "%", "0777", "778",
	"a b", "a/b", "a.b-c", "{title} {port}", "{nope}", "{", "{{", "50 99", "0.5 1e1 100.0", "50 101", "-1 5", "nan", "1 2 3", "1 2 3000", "0 200 x",
	"900 1", "900  1", "900 ", "900 1 60", "0 1", "1 -1", "x y", "3600 1 300 100",
	"normal 2mb 1mb 60", "replica 256mb 64mb 60 pubsub 32mb 8mb 1", "slave 1gb 1gb 0", "NORMAL 0 0 0", "master 0 0 0", "normal 0 0", "normal 0 0 -1", "normal x 0 0", "other 0 0 0", "normal 0 0 ",
	"A", "KEA", "Kx", "Km", "nA", "g$lshzxetd", "Q", "save nosave", "save now", "force Save default", "save x",
	"debug", "WARNING", "notice", "all", "allkeys-lru", "noeviction", "everysec", "always", "optional", "local",
	"absolute", "relative", "ip", "hostname", "panic", "swapdb", "clients", "allchannels", "a b c d e f g h i j k l m n o p q",
}

// onlyTried are the values for some directives. Other values would act on this machine: listen on a port, close
// the test's connection, fork, or send a signal.
var onlyTried = map[string][]string{
	"port":              {"", "0", "-1", "x", "70000", "007"},
	"tls-port":          {"", "0", "-1", "x", "70000", "007"},
	"appendonly":        {"", "no", "maybe"},
	"maxmemory-clients": {"", "0", "0%", "50%", "101%", "-5%", "-5", "x", "%", "x%", "007%", "1gb"},
	"watchdog-period":   {"", "0", "-1", "x"},
	"maxclients":        {"", "0", "-1", "x", "4294967296", "100"},
}

// machines are the directives whose result depends on the machine, not on the value.
var machines = map[string]string{
	"dir": "must exist",
}

// theMachines reports whether an error is about applying a valid value.
func theMachines(reply string) bool {
	for _, text := range []string{"- Unable to ", "- Failed to ", "- failed to ", "- The operating system", "- The event loop", "- Active defragmentation"} {
		if strings.Contains(reply, text) {
			return true
		}
	}
	return false
}

// Both servers know the same directives and have the same defaults. CONFIG SET gives the same reply for every
// value.
func TestConfigSetIsLikeRedis(t *testing.T) {
	r := startRedis(t)
	if version := r.do("INFO", "server"); version[0][0] == '$' {
		r.skipBulk(version[0], t)
	}
	known := map[string]string{}
	for reply := r.do("CONFIG", "GET", "*"); len(reply) > 0; reply = reply[2:] {
		known[reply[0]] = reply[1]
	}
	for name := range known {
		_, ok := Lookup(name)
		require.True(t, ok, "redis-server knows %s", name)
	}
	for _, name := range Names() {
		d, _ := Lookup(name)
		values := onlyTried[d.Name]
		if values == nil {
			values = triedValues
		}
		if _, skip := machines[d.Name]; !skip && len(r.do("CONFIG", "GET", name)) == 2 {
			compareDirective(t, r, d, name, values)
		}
	}
}

// skipBulk reads the rest of a bulk reply, and skips the test if it is not from Redis 7.0.
func (r *redis) skipBulk(head string, t *testing.T) {
	size, err := strconv.Atoi(head[1:])
	require.NoError(t, err)
	buf := make([]byte, size+2)
	_, err = io.ReadFull(r.in, buf)
	require.NoError(t, err)
	if !strings.Contains(string(buf), "redis_version:7.0.") {
		skip(t, "redis-server is not of version 7.0")
	}
}

// differing are the directives whose default is not the one of Redis.
var differing = map[string]bool{
	"bind": true, "port": true, "unixsocket": true, "enable-protected-configs": true, "save": true,
	"appendonly": true, "auto-aof-rewrite-percentage": true, "auto-aof-rewrite-min-size": true, "cluster-node-timeout": true,
}

// fixed are the directives that only Redis changes while it runs.
var fixed = map[string]bool{
	"cluster-node-timeout": true, "cluster-announce-ip": true, "cluster-announce-hostname": true, "cluster-announce-port": true,
	"cluster-announce-tls-port": true, "cluster-announce-bus-port": true, "tls-cluster": true,
}

func compareDirective(t *testing.T, r *redis, d *Directive, name string, values []string) {
	c := Default()
	require.NoError(t, c.Set("enable-protected-configs", []string{"yes"}))
	first := r.do("CONFIG", "GET", name)
	ours, _ := c.Get(name)
	if !differing[d.Name] {
		require.Equal(t, first[1], ours, "default of %s", name)
	}
	require.NoError(t, c.Set(name, d.Split(first[1])), name)
	if fixed[d.Name] {
		require.ErrorIs(t, d.Settable(c, true), ErrImmutable, name)
		return
	}
	for _, value := range values {
		if refusedHere(d, value) {
			require.Error(t, c.Set(name, d.Split(value)), name)
			continue
		}
		theirs := r.do("CONFIG", "SET", name, value)[0]
		if theMachines(theirs) {
			continue
		}
		assert.Equal(t, theirs, configSet(c, d, name, value), "CONFIG SET %s %q", name, value)
		ours, _ := c.Get(name)
		assert.Equal(t, r.do("CONFIG", "GET", name)[1], ours, "after CONFIG SET %s %q", name, value)
	}
	require.Equal(t, "+OK", configSetOrImmutable(r, name, first[1]), name)
}

// refusedHere reports whether only Redis accepts the value: memory beyond an int64, which Redis wraps or keeps
// unsigned, and percentiles in hexadecimal.
func refusedHere(d *Directive, value string) bool {
	return value == "9223372036854775808" && strings.HasPrefix(d.Values, "memory") ||
		value == "0x10" && strings.HasPrefix(d.Values, "percentiles")
}

// configSet returns the reply of CONFIG SET for this package's result.
func configSet(c *Config, d *Directive, name, value string) string {
	err := d.Settable(c, false)
	if err == nil {
		err = c.Set(name, d.Split(value))
	}
	if err != nil {
		return fmt.Sprintf("-ERR CONFIG SET failed (possibly related to argument '%s') - %s", name, err)
	}
	return "+OK"
}

func configSetOrImmutable(r *redis, name, value string) string {
	reply := r.do("CONFIG", "SET", name, value)[0]
	if strings.HasSuffix(reply, ErrImmutable.Error()) {
		return "+OK"
	}
	return reply
}

// skip skips the test, and says why. With CELLSERVER_NO_SKIP=1 the test fails instead.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}
