package app

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestUsersOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users.acl")
	require.NoError(t, os.WriteFile(file, []byte("user alice on >pw ~a +get\n"), 0o600))
	require.NoError(t, os.Chmod(file, 0o640)) // whatever the umask is
	in := start(t, "--aclfile", file)
	c := in.dial(t)
	ok(t, c, "ACL", "SETUSER", "bob", "on", "nopass", "+ping")
	ok(t, c, "ACL", "SAVE")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "user bob on nopass resetchannels -@all +ping\n")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o640, info.Mode(), "the mode stays")

	bob := in.dial(t)
	ok(t, bob, "AUTH", "bob", "x")
	require.NoError(t, os.WriteFile(file, []byte("user alice on >pw ~a +get\nnonsense"), 0o640))
	require.IsType(t, resptest.Error(""), c.Do("ACL", "LOAD"))
	require.Equal(t, resptest.Simple("PONG"), bob.Do("PING"))
	require.NoError(t, os.WriteFile(file, []byte("user alice on >pw ~a +get\n"), 0o640))
	ok(t, c, "ACL", "LOAD")
	requireClosed(t, bob)

	require.NoError(t, os.Remove(file))
	require.Equal(t, resptest.Error("ERR Error loading ACLs, opening file '"+file+"': no such file or directory"), c.Do("ACL", "LOAD"))
	ok(t, c, "ACL", "SAVE")
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode(), "a new file is for its owner")
}

func TestWrongUsersEndTheStart(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "users.acl")
	require.NoError(t, os.WriteFile(file, []byte("user alice +nosuch"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--aclfile", file}, "aclfile: " + file + ":1: Error in applying operation '+nosuch': Unknown command or category name in ACL. " +
			"WARNING: ACL errors detected, no change to the previously active ACL rules was performed"},
		{[]string{"--aclfile", dir + "/missing"}, "aclfile: opening file '" + dir + "/missing': no such file or directory: check the path; a relative path begins in the directory where the server was started"},
		{[]string{"--aclfile", dir}, "aclfile: opening file '" + dir + "': not a regular file: choose a regular file"},
		{[]string{"--user", "alice", "+nosuch"}, "command line: Error in user declaration 'alice': '+nosuch': Unknown command or category name in ACL"},
	} {
		cfg, _, err := configload.Load(append([]string{"--port", "0", "--unixsocket", dir + "/s", "--dir", dir}, c.args...), nil, nil)
		require.NoError(t, err)
		_, err = New(Options{Config: cfg})
		require.EqualError(t, err, c.want)
	}
}

// startFile runs a server with a configuration file, and with directives that override it.
func startFile(t *testing.T, file string, directives ...string) *instance {
	t.Helper()
	args := []string{file, "--port", strconv.Itoa(porttest.Free(t)), "--dir", t.TempDir(), "--save", "", "--appendonly", "no"}
	cfg, _, err := configload.Load(append(args, directives...), nil, os.ReadFile)
	require.NoError(t, err)
	in := &instance{log: &safeBuffer{}, done: make(chan error, 1)}
	in.App, err = New(Options{Config: cfg, ConfigFile: file, Log: slog.New(slog.NewTextHandler(in.log, nil))})
	require.NoError(t, err)
	in.run(t)
	in.waitServing(t)
	return in
}

// CONFIG REWRITE keeps users that ACL SETUSER has made.
func TestRewriteKeepsUsers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "redis.conf")
	require.NoError(t, os.WriteFile(file, []byte("user alice on >pw ~a +get\nhz 20\n"), 0o600))
	in := startFile(t, file)
	c := in.dial(t)
	ok(t, c, "ACL", "SETUSER", "bob", "on", "nopass", "~\"q", "(~x +get)")
	ok(t, c, "CONFIG", "REWRITE")
	lines := c.Do("ACL", "LIST")
	in.stop()
	in.wait(t)
	again := startFile(t, file)
	require.Equal(t, lines, again.dial(t).Do("ACL", "LIST"))
}

func TestHTTPIsAUser(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--http-port", strconv.Itoa(port), "--http-user", "web")
	const noUser = "all requests over HTTP get 503"
	require.Eventually(t, func() bool { return strings.Contains(in.log.String(), noUser) }, timeout, time.Millisecond)
	other := start(t, "--http-port", strconv.Itoa(porttest.Free(t)))
	other.stop()
	other.wait(t)
	require.NotContains(t, other.log.String(), noUser)
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 100, 60)
	check := func(key string, want int) {
		t.Helper()
		status, body := ask(t, port, "/check/api?key="+key)
		require.Equal(t, want, status, body)
	}
	check("a:1", http.StatusServiceUnavailable)
	ok(t, c, "ACL", "SETUSER", "web", "on", "+cl.mcheck", "~a:*")
	check("a:1", http.StatusOK)
	check("b:1", http.StatusForbidden)
	require.Contains(t, c.Do("CLIENT", "LIST"), " user=web ")
	require.Len(t, c.Do("ACL", "LOG"), 1, "nothing else was refused")
	ok(t, c, "ACL", "SETUSER", "web", "~b:*")
	check("b:1", http.StatusOK)
	ok(t, c, "ACL", "SETUSER", "web", "off")
	check("a:1", http.StatusServiceUnavailable)
	ok(t, c, "ACL", "SETUSER", "web", "on")
	check("a:1", http.StatusOK)
	require.EqualValues(t, 1, c.Do("ACL", "DELUSER", "web"))
	check("a:1", http.StatusServiceUnavailable)
	ok(t, c, "ACL", "SETUSER", "web", "on", "+@all", "~*")
	check("a:1", http.StatusOK)
}

// TestRightsChangeUnderLoad: a command that runs while its user changes has the old rights or the new ones. A connection that was
// refused once has the new rights, and a deleted user has no connection.
func TestRightsChangeUnderLoad(t *testing.T) {
	const workers = 4
	in := start(t)
	admin := in.dial(t)
	for range 10 {
		ok(t, admin, "ACL", "SETUSER", "alice", "on", "nopass", "~*", "+set")
		var working sync.WaitGroup
		var refused atomic.Int64
		for range workers {
			c := in.dial(t)
			ok(t, c, "AUTH", "alice", "x")
			working.Go(func() {
				for first := true; ; {
					c.Send("SET", "k", "v")
					reply, err := c.TryRecv()
					if err != nil {
						return // the user is deleted
					}
					if _, no := reply.(resptest.Error); no && first {
						first = false
						refused.Add(1)
					}
				}
			})
		}
		exists := func() bool { return admin.Do("EXISTS", "k") == any(int64(1)) }
		require.Eventually(t, exists, timeout, time.Millisecond)
		ok(t, admin, "ACL", "SETUSER", "alice", "resetkeys")
		require.Eventually(t, func() bool { return refused.Load() == workers }, timeout, time.Millisecond)
		admin.Do("DEL", "k")
		require.False(t, exists())
		require.EqualValues(t, 1, admin.Do("ACL", "DELUSER", "alice"))
		working.Wait()
		require.False(t, exists())
	}
}

// TestUsersWhoLockEverybodyOut: the start warns if nobody can log in, and only then.
func TestUsersWhoLockEverybodyOut(t *testing.T) {
	const warning = "nobody can log in, because no user is on and has a password"
	for users, shut := range map[string]bool{
		"user default off\n":                                true,
		"user default off\nuser ann on ~* +@all\n":          true,
		"user default off\nuser ann off >secret ~* +@all\n": true,
		"user default on\nuser ann off\n":                   true,
		"user default off\nuser ann on >secret ~* +@all\n":  false,
		"user default off\nuser ann on nopass ~* +@all\n":   false,
		"user ann off\n":                                    false,
		"user default on >secret ~* +@all\n":                false,
	} {
		file := filepath.Join(t.TempDir(), "users.acl")
		require.NoError(t, os.WriteFile(file, []byte(users), 0o600))
		in, err := open(t, "--aclfile", file)
		require.NoError(t, err)
		in.run(t)
		in.waitServing(t)
		require.Equal(t, shut, strings.Contains(in.log.String(), warning), users)
	}
}
