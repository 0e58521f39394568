package faults

import (
	"fmt"
	"math/rand"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestRoundTrip fills a server with random data of all types that both servers have. Then cellserver and the real Redis
// take turns on the directory. Each must find exactly what the other has written, and writes more. Redis's own tools
// must accept the files.
func TestRoundTrip(t *testing.T) {
	ours, theirs := subject(t), theRedis(t)
	for name, args := range map[string][]string{
		"append-only file": appendOnly("everysec"),
		"snapshot":         {"--appendonly", "no", "--save", "3600 1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := random(t)
			n := rounds(3, 40)
			keys := 0
			for range n {
				dir := t.TempDir()
				held := map[string]string{}
				for _, p := range []program{ours, theirs, ours, theirs, ours} {
					s := p.start(t, dir, args...)
					holds(t, s, held, "what the other left")
					writeRandom(t, s, r, 300)
					if args[1] == "yes" && r.Intn(2) == 0 {
						s.rewrite(t)
						writeRandom(t, s, r, 100)
					}
					held = contents(t, s)
					s.stop(t)
					approved(t, dir)
				}
				keys += len(held)
			}
			t.Logf("%d directories, five turns each, %d keys at the end", n, keys)
		})
	}
}

// approved runs Redis's own checkers on the files in a directory.
func approved(t *testing.T, dir string) {
	t.Helper()
	for tool, name := range map[string]string{"redis-check-rdb": "dump.rdb", "redis-check-aof": manifestFile} {
		path, err := exec.LookPath(tool)
		if err != nil {
			skip(t, "no %s: install Debian's redis-tools", tool)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, name)); len(files) > 0 {
			run(t, path, files[0])
		}
	}
}

// writeRandom makes n random changes, of all types, to few keys of two databases. Keys that expire soon have expired
// when it returns.
func writeRandom(t *testing.T, s *server, r *rand.Rand, n int) {
	t.Helper()
	c, err := dial(s.addr)
	require.NoError(t, err)
	defer c.close()
	for range n {
		switch r.Intn(30) {
		case 0:
			_, err = c.do("SELECT", r.Intn(2)*7)
		case 1:
			err = c.transaction([]any{"SELECT", r.Intn(2) * 7}, randomCommand(r), randomCommand(r), []any{"SELECT", r.Intn(2) * 7}, randomCommand(r))
		default:
			_, err = c.do(randomCommand(r)...)
		}
		require.NoError(t, err, "%s", s.output())
	}
	time.Sleep(10 * time.Millisecond)
}

// transaction sends commands in MULTI and EXEC.
func (c *conn) transaction(commands ...[]any) error {
	_, err := c.do("MULTI")
	for _, args := range commands {
		if err == nil {
			_, err = c.do(args...)
		}
	}
	if err == nil {
		_, err = c.do("EXEC")
	}
	return err
}

// randomCommand returns a command that writes, or that the server refuses.
func randomCommand(r *rand.Rand) []any {
	key, other := names[r.Intn(len(names))], names[r.Intn(len(names))]
	far := time.Now().Add(time.Duration(1+r.Intn(1_000_000)) * time.Hour).UnixMilli()
	switch r.Intn(30) {
	case 0, 1, 2:
		return []any{"SET", key, edgeString(r)}
	case 3:
		return []any{"SET", key, edgeString(r), "PXAT", far}
	case 4:
		return []any{"SET", key, edgeString(r), "PX", 1 + r.Intn(3)} // expires soon
	case 5:
		return []any{"INCRBY", key, r.Int63() - r.Int63()}
	case 6:
		return []any{"INCRBYFLOAT", key, scores[r.Intn(len(scores))]}
	case 7:
		return []any{"APPEND", key, edgeString(r)}
	case 8:
		return []any{"SETRANGE", key, r.Intn(100), edgeString(r)}
	case 9:
		return []any{"MSET", key, edgeString(r), other, edgeString(r)}
	case 10:
		return []any{"GETEX", key, "PXAT", far}
	case 11:
		return []any{"GETDEL", key}
	case 12:
		return []any{"RENAME", key, other}
	case 13:
		return []any{"RENAME", "z" + key, "z" + other}
	case 14:
		return []any{"COPY", key, other, "DB", r.Intn(2) * 7, "REPLACE"}
	case 15:
		return []any{"MOVE", "z" + key, r.Intn(2) * 7}
	case 16, 17, 18:
		args := []any{"ZADD", "z" + key}
		for range 1 + r.Intn(200) {
			args = append(args, scores[r.Intn(len(scores))], fmt.Sprint(r.Intn(400)))
		}
		return args
	case 19:
		return []any{"ZADD", "z" + key, r.NormFloat64(), edgeString(r)}
	case 20:
		return []any{"ZINCRBY", "z" + key, r.NormFloat64(), r.Intn(400)}
	case 21:
		return []any{"ZREMRANGEBYRANK", "z" + key, 0, r.Intn(50)}
	case 22:
		return []any{"ZPOPMIN", "z" + key, r.Intn(5)}
	case 23:
		return []any{"ZUNIONSTORE", "z" + key, 2, "z" + key, "z" + other}
	case 24:
		return []any{"PEXPIREAT", "z" + key, far}
	case 25:
		return []any{"PEXPIRE", key, 1 + r.Intn(5)}
	case 26:
		return []any{"PERSIST", key}
	case 27:
		switch r.Intn(60) {
		case 0:
			return []any{"FLUSHDB"}
		case 1, 2, 3:
			return []any{"SWAPDB", 0, 7}
		}
	}
	return []any{"DEL", key, "z" + other}
}

var names = func() []string {
	all := []string{"", "\x00", "007", "-1", "a b", "\xff\xfe\r\n", "{tag}one", "{tag}two", "\"quoted\"", "#", "*3"}
	for _, n := range []int{63, 64, 255, 16383, 16384} {
		all = append(all, strings.Repeat("k", n))
	}
	for n := range 20 {
		all = append(all, fmt.Sprint("key ", n))
	}
	return all
}()

// scores has special values of a double.
var scores = []string{"0", "-0", "1", "-1", "inf", "-inf", "0.1", "3.141592653589793", "1e308", "5e-324", "9007199254740993",
	"123456789012345680", "-17179869184.5", "1e17", "1e-7", "2147483648", "-9223372036854775808"}

// edgeString returns a string at which an encoding changes.
func edgeString(r *rand.Rand) string {
	switch r.Intn(6) {
	case 0:
		edge := int64(1) << []int{6, 7, 8, 12, 13, 15, 16, 23, 24, 31, 32, 62}[r.Intn(12)]
		return fmt.Sprint((edge + int64(r.Intn(3)) - 1) * int64(1-2*r.Intn(2)))
	case 1:
		return []string{"", "007", "-0", "+1", " 1", "1 ", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.5"}[r.Intn(10)]
	case 2:
		return strings.Repeat("compressible ", 1+r.Intn(200))
	case 3:
		return strings.Repeat("x", []int{19, 20, 21, 63, 64, 65, 16383, 16384, 70_000, 3 << 20}[r.Intn(91)/10])
	case 4:
		b := make([]byte, r.Intn(100))
		r.Read(b)
		return string(b)
	}
	return fmt.Sprint(r.Int63())
}

// TestSnapshotOfRedis starts with appendonly yes on a directory that has a snapshot of Redis only. Redis 7.0 would
// start empty; cellserver must load the snapshot.
func TestSnapshotOfRedis(t *testing.T) {
	p, theirs := subject(t), theRedis(t)
	dir := t.TempDir()
	s := theirs.start(t, dir, "--appendonly", "no")
	writeRandom(t, s, random(t), 200)
	held := contents(t, s)
	require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
	s.kill()
	for range 2 { // the second start loads the append-only file that the first start began
		s = p.start(t, dir, appendOnly("everysec")...)
		holds(t, s, held, "what Redis left")
		s.kill()
	}
}

// TestUnsupportedTypes requires that the server refuses an unsupported type by its name, and changes nothing.
func TestUnsupportedTypes(t *testing.T) {
	p, theirs := subject(t), theRedis(t)
	for kind, command := range map[string][]any{"stream": {"XADD", "foreign", "*", "a", "b"}} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			s := theirs.start(t, dir, "--appendonly", "no")
			s.do(t, command...)
			require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
			s.kill()
			refuses(t, p, dir, kind, "--appendonly", "no")
			refuses(t, p, dir, "foreign", "--appendonly", "no")
		})
	}
}
