package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/config"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestInfoHasTheFieldsOfRedis(t *testing.T) {
	real := resptest.Dial(t, resptest.StartRedis(t)).Do("INFO", "persistence").(string)
	ours := start(t).dial(t).Do("INFO", "persistence").(string)
	for line := range strings.SplitSeq(real, "\r\n") {
		if name, _, ok := strings.Cut(line, ":"); ok {
			require.Contains(t, ours, "\r\n"+name+":")
		}
	}
}

func TestARestartKeepsTheData(t *testing.T) {
	dir := t.TempDir()
	in := start(t, "--dir", dir, "--save", "3600", "1")
	c := in.dial(t)
	ok(t, c, "SET", "k", "v")
	c.Do("CL.THROTTLE", "user", 1, 1, 3600)
	tat := c.Do("GET", "user")
	in.stop()
	in.wait(t)
	require.FileExists(t, filepath.Join(dir, "dump.rdb"))

	again := start(t, "--dir", dir, "--save", "3600", "1").dial(t)
	require.Equal(t, "v", again.Do("GET", "k"))
	require.Equal(t, tat, again.Do("GET", "user"))
}

// TestAReloadInvalidatesWhatClientsTrack: the reload leaves out what has expired, and nothing else tells of it.
func TestAReloadInvalidatesWhatClientsTrack(t *testing.T) {
	c := start(t, "--dir", t.TempDir()).dial(t)
	c.Do("HELLO", 3)
	ok(t, c, "CLIENT", "TRACKING", "ON")
	c.Do("GET", "k")
	ok(t, c, "DEBUG", "RELOAD")
	c.Do("PING")
	require.Equal(t, []resptest.Push{{"invalidate", resptest.Nil3}}, c.Pushes)
}

// TestASmallerLimitDoesNotRefuseTheLog: the strings of the log are longer than proto-max-bulk-len allows now.
func TestASmallerLimitDoesNotRefuseTheLog(t *testing.T) {
	kept := []string{"--dir", t.TempDir(), "--appendonly", "yes"}
	in := start(t, kept...)
	c := in.dial(t)
	ok(t, c, "CONFIG", "SET", "proto-max-bulk-len", "600mb")
	c.Do("SETRANGE", "k", 2<<20, "x")
	c.Do("APPEND", "k", "yz")
	c.Do("SETRANGE", "l", 513<<20, "x")
	in.stop()
	in.wait(t)
	again := start(t, append(kept, "--proto-max-bulk-len", "1mb")...).dial(t)
	require.Equal(t, int64(2<<20+3), again.Do("STRLEN", "k"))
	require.Equal(t, int64(513<<20+1), again.Do("STRLEN", "l"))
}

// refusedStart returns the error of a server that does not start.
func refusedStart(t *testing.T, directives ...string) error {
	t.Helper()
	in, err := open(t, directives...)
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), timeout)
	defer stop()
	return in.Run(ctx)
}

func TestADamagedDumpRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(path, []byte("REDIS0009 and nonsense"), 0o600))
	err := refusedStart(t, "--dir", dir)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "at byte 9")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "REDIS0009 and nonsense", string(after))
}

func TestTwoServersDoNotShareADirectory(t *testing.T) {
	dir := t.TempDir()
	first := start(t, "--dir", dir, "--save", "3600", "1").dial(t)
	require.Equal(t, resptest.Simple("PONG"), first.Do("PING")) // by now it has begun
	require.ErrorContains(t, refusedStart(t, "--dir", dir, "--save", "3600", "1"), "another server uses the directory")
}

// The first file that the server writes creates the default directory.
func TestTheDefaultDirectoryIsMadeWhenItIsNeeded(t *testing.T) {
	t.Chdir(t.TempDir())
	c := start(t, "--dir", config.DefaultDir).dial(t)
	ok(t, c, "CONFIG", "SET", "timeout", "0")
	require.NoDirExists(t, config.DefaultDir)
	ok(t, c, "SAVE")
	require.FileExists(t, filepath.Join(config.DefaultDir, "dump.rdb"))
	_, err := open(t, "--dir", "another")
	require.ErrorContains(t, err, "another: no such file or directory")
}

func TestShutdownSaves(t *testing.T) {
	dir := t.TempDir()
	in := start(t, "--dir", dir) // without save points
	c := in.dial(t)
	ok(t, c, "SET", "k", "v")
	c.Send("SHUTDOWN", "SAVE")
	requireClosed(t, c)
	in.wait(t)
	require.Equal(t, "v", start(t, "--dir", dir).dial(t).Do("GET", "k"))
}

func TestShutdownThatCannotSaveIsRefused(t *testing.T) {
	dir := t.TempDir()
	in := start(t, "--dir", dir, "--dbfilename", "")
	c := in.dial(t)
	require.Equal(t, resptest.Error("ERR Errors trying to SHUTDOWN. Check logs."), c.Do("SHUTDOWN", "SAVE"))
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	c.Send("SHUTDOWN", "SAVE", "FORCE")
	requireClosed(t, c)
	in.wait(t)
}

func TestFlushAllEmptiesTheDump(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "--dir", dir, "--save", "3600", "1").dial(t)
	ok(t, c, "SET", "k", "v")
	ok(t, c, "SAVE")
	full, err := os.Stat(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	ok(t, c, "FLUSHALL")
	empty, err := os.Stat(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.Less(t, empty.Size(), full.Size())
}

func TestBGSAVEInTheBackground(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "--dir", dir).dial(t)
	ok(t, c, "SET", "k", "v")
	require.Equal(t, resptest.Simple("Background saving started"), c.Do("BGSAVE"))
	require.Eventually(t, func() bool {
		return strings.Contains(c.Do("INFO", "persistence").(string), "\r\nrdb_saves:1\r\n")
	}, timeout, time.Millisecond)
	require.FileExists(t, filepath.Join(dir, "dump.rdb"))
}

// TestDumpsAreExchangedWithRedis starts Redis and this server from each other's dump.
func TestDumpsAreExchangedWithRedis(t *testing.T) {
	socket := resptest.StartRedis(t)
	redis := resptest.Dial(t, socket)
	redis.Do("SET", "tat", "1795266571097525924", "PXAT", "4000000000000")
	redis.Do("ZADD", "z", "1.5", "a", "-inf", "b")
	redis.Do("SELECT", "3")
	redis.Do("SET", "text", strings.Repeat("compress me ", 100))
	ok(t, redis, "SAVE")

	in := start(t, "--dir", filepath.Dir(socket))
	c := in.dial(t)
	require.Equal(t, "1795266571097525924", c.Do("GET", "tat"))
	require.Equal(t, int64(4000000000000), c.Do("PEXPIRETIME", "tat"))
	require.Equal(t, []any{"b", "-inf", "a", "1.5"}, c.Do("ZRANGE", "z", 0, -1, "WITHSCORES"))
	c.Do("SELECT", "3")
	ok(t, c, "SET", "more", "from here")
	ok(t, c, "SAVE")

	back := resptest.Dial(t, resptest.StartRedis(t, "--dir", filepath.Dir(socket)))
	require.Equal(t, "1795266571097525924", back.Do("GET", "tat"))
	require.Equal(t, int64(4000000000000), back.Do("PEXPIRETIME", "tat"))
	require.Equal(t, []any{"b", "-inf", "a", "1.5"}, back.Do("ZRANGE", "z", 0, -1, "WITHSCORES"))
	back.Do("SELECT", "3")
	require.Equal(t, strings.Repeat("compress me ", 100), back.Do("GET", "text"))
	require.Equal(t, "from here", back.Do("GET", "more"))
}

// TestCopiesBesideAnEmptyStart: a start without data says that there may be some. Data, and .old, end the
// warning.
func TestCopiesBesideAnEmptyStart(t *testing.T) {
	const warning = "the server begins empty, beside files that may be copies of data"
	for names, want := range map[string]string{
		"dump.rdb.bak":           "files=dump.rdb.bak",
		"dump.rdb.gz dump.rdb.1": `files="dump.rdb.1, dump.rdb.gz"`,
		"appendonly.aof~":        "files=appendonly.aof~",
		"dump.rdb.old":           "",
		"temp-1.rdb.x notes.txt": "",
	} {
		for _, log := range []string{"yes", "no"} {
			dir := t.TempDir()
			for name := range strings.FieldsSeq(names) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("data"), 0o600))
			}
			in := start(t, "--dir", dir, "--appendonly", log)
			require.Equal(t, want != "", strings.Contains(in.log.String(), warning), in.log.String())
			require.Contains(t, in.log.String(), want)
			ok(t, in.dial(t), "SET", "a", "b")
			ok(t, in.dial(t), "SAVE")
			in.stop()
			in.wait(t)
			again := start(t, "--dir", dir, "--appendonly", log)
			require.NotContains(t, again.log.String(), warning)
			require.FileExists(t, filepath.Join(dir, strings.Fields(names)[0]))
		}
	}
}
