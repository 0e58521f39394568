package app

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// startFake starts a master that sends a copy with the key `k`, and then what the test sends. It returns its
// port. The next connections get nothing.
func startFake(t testing.TB, sends string) int { return startHeld(t, nil, sends) }

// startHeld is startFake with a copy whose second half waits until the test closes a channel.
func startHeld(t testing.TB, rest chan struct{}, sends string) int {
	return startCopy(t, "REDIS0009\xfe\x00\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00", rest, sends)
}

// startCopy is startHeld with another copy.
func startCopy(t testing.TB, copied string, rest chan struct{}, sends string) int {
	t.Helper()
	return startMaster(t, func(conn net.Conn) {
		fmt.Fprintf(conn, "+FULLRESYNC %040d 0\r\n$%d\r\n%s", 1, len(copied), copied[:len(copied)/2])
		if rest != nil {
			<-rest
		}
		fmt.Fprint(conn, copied[len(copied)/2:], sends)
	})
}

// startMaster starts a master that answers PSYNC of its first connection as the test says.
func startMaster(t testing.TB, answer func(conn net.Conn)) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for {
			line, err := in.ReadString('\n')
			switch word := strings.TrimSpace(line); {
			case err != nil:
				return
			case word == "PING" || word == "REPLCONF":
				fmt.Fprint(conn, "+OK\r\n")
			case word == "INFO" || word == "TIME":
				fmt.Fprint(conn, "-NOPERM no\r\n")
			case word == "PSYNC":
				answer(conn)
				_, _ = io.Copy(io.Discard, in)
				return
			}
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// resps returns commands, one a line, in the form of the protocol.
func resps(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		words := strings.Split(line, " ") // of an empty line: one empty word
		fmt.Fprintf(&b, "*%d\r\n", len(words))
		for _, w := range words {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
		}
	}
	return b.String()
}

// TestStreamOfAMaster: calls of redis-cell, which a Redis sends as they are, and messages do not stop a move.
// Subscribers of this server get the messages.
func TestStreamOfAMaster(t *testing.T) {
	in := start(t)
	c, channel, shard := in.dial(t), in.dial(t), in.dial(t)
	channel.Do("SUBSCRIBE", "news")
	shard.Do("SSUBSCRIBE", "news")
	port := startFake(t, resps("SELECT 0", "CL.THROTTLE user 1 1 3600", "cl.throttle user 1 1 3600 1",
		"CL.THROTTLE user 1 1 3600", "PUBLISH news a", "SPUBLISH news b", "SET end 1"))
	ok(t, c, "REPLICAOF", "127.0.0.1", port)
	require.Eventually(t, func() bool { return c.Do("GET", "end") == "1" }, timeout, time.Millisecond,
		"%s", info(c, "replication", "master_link_error"))
	require.Equal(t, []any{"message", "news", "a"}, channel.Recv())
	require.Equal(t, []any{"smessage", "news", "b"}, shard.Recv())
	require.Equal(t, "", info(c, "replication", "master_left_out"))
	require.Equal(t, resptest.Error("READONLY You can't write against a read only replica."),
		c.Do("CL.THROTTLE", "user", 1, 1, 3600))
	ok(t, c, "REPLICAOF", "NO", "ONE")
	require.EqualValues(t, 1, c.Do("CL.THROTTLE", "user", 1, 1, 3600).([]any)[0])
}

// TestCallsThatAreErrorsHere: redis-cell takes a burst below 0. Such a call is left out, counted and named once, and
// does not stop the move. Another error of its transaction does.
func TestCallsThatAreErrorsHere(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, resps("CL.THROTTLE user 1 1 3600", "CL.THROTTLE user -1 30 60",
		"MULTI", "CL.THROTTLE user 1 0 60", "SET in 1", "CL.THROTTLE user -5 1 1", "EXEC", "SET end 1",
		"MULTI", "CL.THROTTLE user -1 30 60", "LPUSH end 1", "EXEC", "SET after 1")))
	require.Eventually(t, func() bool { return info(c, "replication", "master_link_stopped") == "1" }, timeout, time.Millisecond)
	require.Contains(t, info(c, "replication", "master_link_error"), `lpush cannot run here: WRONGTYPE`)
	require.Equal(t, []any{"1", "1", resptest.NilBulk}, c.Do("MGET", "in", "end", "after"))
	require.Equal(t, `"command cl.throttle"=3`, info(c, "replication", "master_left_out"))
	require.Equal(t, 1, strings.Count(in.log.String(), "left out a command"))
	require.Contains(t, in.log.String(), "max_burst '-1' must not be negative")
	require.Equal(t, []any{int64(0), int64(2), int64(0)}, c.Do("CL.PROBE", "user", 1, 1, 3600).([]any)[:3], "one of two was used")
}

// TestMasterThatCommands: a master only writes. Another command stops the move, runs not, and is never left out
// in silence.
func TestMasterThatCommands(t *testing.T) {
	for _, line := range []string{"SHUTDOWN NOSAVE", "CONFIG SET appendonly yes", "REPLICAOF NO ONE", "RESET", "QUIT",
		"HELLO 3", "AUTH x", "SUBSCRIBE x", "MONITOR", "ACL SETUSER x on", "BLPOP l 0", "CL.RULES SET x", "GET k",
		"CLIENT REPLY OFF", "DEBUG SLEEP 100", "WATCH k", "DISCARD", "EXEC", strings.Repeat("X", 33) + " k v", "", " k v"} {
		t.Run(line, func(t *testing.T) {
			in := start(t)
			c := in.dial(t)
			ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, resps("SET before 1", line, "SET after 1")))
			require.Eventually(t, func() bool { return info(c, "replication", "master_link_stopped") == "1" },
				timeout, time.Millisecond)
			name, _, _ := strings.Cut(line, " ")
			require.Contains(t, strings.ToLower(info(c, "replication", "master_link_error")),
				strings.ToLower(cmp.Or(name[:min(len(name), 32)], "a command with an empty name")))
			require.Equal(t, []any{"v", "1", resptest.NilBulk}, c.Do("MGET", "k", "before", "after"))
		})
	}
}

// TestScriptsOfAMaster: a script of the master does not change rules or limits, either. redis-cell's command is there.
func TestScriptsOfAMaster(t *testing.T) {
	for _, call := range []string{"'CL.RULE','SET','x','1/minute'", "'CL.RULE','LIST'", "'CL.ENTER','q','1','5'"} {
		in := start(t)
		c := in.dial(t)
		script := "redis.call('SET','before','1') redis.call('CL.THROTTLE','u','1','1','60') redis.call(" + call + ")"
		ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, string(resptest.Command("EVAL", script, 0))+resps("SET after 1")))
		require.Eventually(t, func() bool { return info(c, "replication", "master_link_stopped") == "1" },
			timeout, time.Millisecond)
		require.Contains(t, info(c, "replication", "master_link_error"), "no command that a server sends to its replicas")
		require.Equal(t, []any{"1", resptest.NilBulk}, c.Do("MGET", "before", "after"))
		require.Empty(t, c.Do("CL.RULE", "LIST"))
		require.EqualValues(t, 2, c.Do("EXISTS", "before", "u", "q"))
	}
}

// TestMasterThatNeverEnds: a script of the master without an end keeps nobody waiting but REPLICAOF NO ONE, until
// SCRIPT KILL or the stop of the server.
func TestMasterThatNeverEnds(t *testing.T) {
	follow := func(t *testing.T) (*instance, *resptest.Client) {
		in := start(t, "--shutdown-timeout", "1")
		c := in.dial(t)
		loop := "*3\r\n$4\r\nEVAL\r\n$17\r\nwhile true do end\r\n$1\r\n0\r\n"
		ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, resps("SET before 1")+loop))
		require.Eventually(t, func() bool { return c.Do("GET", "before") == "1" }, timeout, time.Millisecond)
		return in, c
	}
	t.Run("no one", func(t *testing.T) {
		in, c := follow(t)
		for range max(in.transport.Loops, 0) + 2 { // more than there are event loops
			in.dial(t).Write(resptest.Command("REPLICAOF", "NO", "ONE"))
		}
		leaves := in.dial(t)
		leaves.Write(resptest.Command("REPLICAOF", "NO", "ONE"))
		for range 10 {
			require.Equal(t, "slave", info(c, "replication", "role"))
		}
		require.Eventually(t, func() bool { return c.Do("SCRIPT", "KILL") == resptest.Simple("OK") }, timeout, time.Millisecond)
		require.Equal(t, resptest.Simple("OK"), leaves.Recv())
		ok(t, c, "SET", "k", "w")
	})
	t.Run("stop", func(t *testing.T) {
		in, _ := follow(t)
		in.stop()
		in.wait(t)
	})
}

// TestCopyWithoutEnd: a copy that goes on after its end is an error at once. One whose end never comes takes no memory, is
// shown as a copy, and ends with REPLICAOF NO ONE, or with the stop of the server.
func TestCopyWithoutEnd(t *testing.T) {
	endless := func(begin, more string) func(conn net.Conn) {
		return func(conn net.Conn) {
			_, err := fmt.Fprintf(conn, "+FULLRESYNC %040d 0\r\n$EOF:%s\r\nREDIS0009%s", 1, strings.Repeat("e", 40), begin)
			for more := []byte(strings.Repeat(more, 1000)); err == nil; {
				_, err = conn.Write(more)
			}
		}
	}
	t.Run("after its end", func(t *testing.T) {
		c := start(t).dial(t)
		ok(t, c, "REPLICAOF", "127.0.0.1", startMaster(t, endless("\xff\x00\x00\x00\x00\x00\x00\x00\x00", "x")))
		require.Eventually(t, func() bool {
			return strings.Contains(info(c, "replication", "master_link_error"), "the copy goes on after its end")
		}, timeout, time.Millisecond)
	})
	for _, stops := range []bool{false, true} {
		t.Run(fmt.Sprint("no end, stops ", stops), func(t *testing.T) {
			in := start(t)
			c := in.dial(t)
			ok(t, c, "REPLICAOF", "127.0.0.1", startMaster(t, endless("", "\xfa\x01k\x01v")))
			require.Eventually(t, func() bool { return info(c, "replication", "master_sync_in_progress") == "1" }, timeout, time.Millisecond)
			before := in.store.Used()
			require.Eventually(t, func() bool {
				read, _ := strconv.Atoi(info(c, "replication", "master_sync_read_bytes"))
				return read > 1<<20
			}, timeout, time.Millisecond)
			require.Less(t, in.store.Used()-before, int64(1<<16))
			if stops {
				in.stop()
				in.wait(t)
				return
			}
			ok(t, c, "REPLICAOF", "NO", "ONE")
			ok(t, c, "SET", "k", "v")
		})
	}
}

// TestTransactionThatBreaks: a transaction of the master that has run in part never runs again. The next REPLICAOF takes
// a full copy.
func TestTransactionThatBreaks(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, resps("SET n 1", "MULTI", "INCR n", "LPUSH n x", "EXEC")))
	require.Eventually(t, func() bool { return info(c, "replication", "master_link_stopped") == "1" }, timeout, time.Millisecond)
	require.Equal(t, "2", c.Do("GET", "n"))
	require.Equal(t, int64(-1), c.Do("ROLE").([]any)[4])
}
