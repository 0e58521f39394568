package aof

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs/fstest"
	"cellserver/persistence/rdb"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

const (
	appendDir = parent + "/appendonlydir/"
	incr1     = appendDir + "appendonly.aof.1.incr.aof"
	incr2     = appendDir + "appendonly.aof.2.incr.aof"
)

// history returns a log of some batches, and the contents of the store after each batch, by the size
// of the file. The first batch sets a key: random writes may change nothing, and the file must not be empty.
func history(t testing.TB, r *rand.Rand, batches int) (*fstest.Memory, map[int]map[string]string) {
	files := memory()
	l := start(t, files, EverySecond)
	states := map[int]map[string]string{0: contents(l.store)}
	set(l.store, "first", 1)
	for range batches {
		for range 1 + r.IntN(5) {
			write(l.store, now, func(tx *store.Tx) { randomWrite(r, tx) })
		}
		l.commit()
		states[len(files.Get(incr1))] = contents(l.store)
	}
	l.journal.Stop()
	require.NoError(t, l.err)
	return files, states
}

// TestTornTails cuts the last file at every byte, and appends what a power cut may leave. Each
// time the last whole batch is loaded, a copy of the rest is kept, and the log goes on.
func TestTornTails(t *testing.T) {
	r := seeded(t)
	files, states := history(t, r, tornBatches())
	whole := files.Get(incr1)
	garbage := make([]byte, 700)
	for i := range garbage {
		garbage[i] = byte(r.Uint32())
	}
	tails := map[string][]byte{"nothing": nil, "zeros": make([]byte, 4096), "garbage": garbage}
	last := 0
	for cut := max(0, len(whole)-4096); cut <= len(whole); cut++ {
		for end := range states {
			if end <= cut {
				last = max(last, end)
			}
		}
		for name, tail := range tails {
			if testing.Short() && (cut%3 != 0 || name != "nothing" && cut%13 != 0) {
				continue
			}
			torn := append(bytes.Clone(whole[:cut]), tail...)
			kept := requireTailCut(t, torn, states[last], fmt.Sprintf("cut at %d of %d, then %s", cut, len(whole), name))
			require.Equal(t, torn[last:], kept)
		}
	}
}

// tornBatches returns the number of batches in the log that is cut.
func tornBatches() int {
	if testing.Short() {
		return 6
	}
	return 16
}

// requireTailCut requires that a log with a torn tail loads, goes on and
// then loads without a torn tail. It returns the copy of the tail.
func requireTailCut(t *testing.T, torn []byte, want map[string]string, how string) (kept []byte) {
	t.Helper()
	files := memory()
	files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
	files.Put(incr1, torn)
	l := start(t, files, Always)
	requireSame(t, want, contents(l.store), how)
	set(l.store, "more", 1)
	l.commit()
	again, loaded, err := load(t, files.PowerCut(nil))
	require.NoError(t, err, how)
	require.Empty(t, loaded.Torn, how)
	requireSame(t, contents(l.store), contents(again.store), how)
	return append([]byte{}, files.Get(incr1+".torn-1")...)
}

// TestValuesThatLookLikeBatches cuts the log inside a value that a client has made of batches. They are no damage:
// else the client could keep the server from starting after a power cut.
func TestValuesThatLookLikeBatches(t *testing.T) {
	forged := forgedBatch(t)
	files, l, keys, end := logOfOneBatch(t, Always)
	write(l.store, now+2e9, func(tx *store.Tx) { // the batch has a time, too
		e := tx.Write([]byte("k"))
		e.SetBytes(bytes.Repeat(forged, 20), store.NoExpiry)
	})
	l.commit()
	torn := files.Get(incr1)
	torn = torn[:len(torn)-len(forged)-10]
	kept := requireTailCut(t, torn, keys, "forged")
	require.Equal(t, torn[end:], kept)

	// A damaged length of a batch is no torn tail: whole batches follow.
	longer := bytes.Clone(files.Get(incr1))
	longer[len(format.HeaderMark)+9] = '9'
	files.Put(incr1, longer)
	_, _, err := load(t, files)
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	require.ErrorIs(t, err, errBatchCut)
	require.Zero(t, damage.Offset)
}

func TestDamageRefuses(t *testing.T) {
	r := seeded(t)
	files, _ := history(t, r, 30)
	whole := files.Get(incr1)
	second := bytes.Index(whole[1:], []byte("#CRC:")) + 1
	for name, test := range map[string]struct {
		data   []byte
		offset string
	}{
		"a flipped bit":        {flip(whole, second+format.HeaderSize+3), fmt.Sprint("byte ", second, ":")},
		"a bit of a header":    {flip(whole, second+7), fmt.Sprint("byte ", second, ":")},
		"the mark of a header": {flip(whole, second), fmt.Sprint("byte ", second, ":")},
		"missing bytes":        {append(bytes.Clone(whole[:second+format.HeaderSize+3]), whole[second+format.HeaderSize+9:]...), fmt.Sprint("byte ", second, ":")},
	} {
		t.Run(name, func(t *testing.T) {
			files.Put(incr1, test.data)
			before := files.Names()
			_, _, err := load(t, files)
			var damage *Damage
			require.ErrorAs(t, err, &damage)
			require.ErrorContains(t, err, incr1)
			require.ErrorContains(t, err, test.offset)
			require.ErrorContains(t, err, "nothing was changed")
			require.Equal(t, before, files.Names())
			require.Equal(t, test.data, files.Get(incr1))
		})
	}
}

func flip(b []byte, at int) []byte {
	c := bytes.Clone(b)
	c[at] ^= 4
	return c
}

// TestFlippedBits requires that a flipped bit is noticed, or changes nothing.
func TestFlippedBits(t *testing.T) {
	r := seeded(t)
	files, states := history(t, r, 30)
	whole := files.Get(incr1)
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	for range rounds {
		bit := r.IntN(len(whole) * 8)
		flipped := bytes.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		files.Put(incr1, flipped)
		l, loaded, err := load(t, files)
		if err == nil && loaded.Torn == "" {
			requireSame(t, states[len(whole)], contents(l.store), "bit", bit)
		}
	}
}

// TestHolesAreTornTails has a hole of zeros before the last batch: a power cut may leave one, so it is no damage.
func TestHolesAreTornTails(t *testing.T) {
	files, l, keys, end := logOfOneBatch(t, EverySecond)
	write(l.store, now, func(tx *store.Tx) {
		e := tx.Write([]byte("big"))
		e.SetBytes(bytes.Repeat([]byte{'x'}, 4096), store.NoExpiry)
	})
	l.commit()
	set(l.store, "b", 2)
	l.commit()
	b := files.Get(incr1)
	copy(b[1024:2048], make([]byte, 1024))
	kept := requireTailCut(t, b, keys, "hole")
	require.Equal(t, b[end:], kept)
}

// TestStoredZerosAreNoHole has damage beside zeros in a value: the zeros are no hole, so the damage is refused.
func TestStoredZerosAreNoHole(t *testing.T) {
	files := memory()
	l := start(t, files, EverySecond)
	write(l.store, now, func(tx *store.Tx) {
		e := tx.Write([]byte("big"))
		e.SetBytes(make([]byte, 4096), store.NoExpiry)
	})
	l.commit()
	set(l.store, "b", 2)
	l.commit()
	files.Put(incr1, flip(files.Get(incr1), format.HeaderSize+3))
	_, _, err := load(t, files)
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	require.Zero(t, damage.Offset)
}

func TestOnlyTheLastFileMayBeTorn(t *testing.T) {
	files, _ := history(t, seeded(t), 10)
	l := start(t, files, Always)
	set(l.store, "k", 1)
	l.commit()
	first := files.Get(incr1)
	files.Put(incr1, first[:len(first)-3])
	_, _, err := load(t, files)
	require.ErrorContains(t, err, incr1)
	require.ErrorContains(t, err, "cut off")
	files.Put(incr2, nil)
	_, loaded, err := load(t, files)
	require.NoError(t, err, "the last file is still empty")
	require.Contains(t, loaded.Torn, incr1)
}

func TestRefuseTorn(t *testing.T) {
	files, _ := history(t, seeded(t), 3)
	whole := files.Get(incr1)
	files.Put(incr1, whole[:len(whole)-1])
	dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
	require.NoError(t, err)
	s := newStore()
	_, err = dir.Load(s, LoadOptions{Now: now, Replayer: replayer(s), RefuseTorn: true})
	require.ErrorContains(t, err, "cut off")
}

func TestMissingFiles(t *testing.T) {
	files, _ := history(t, seeded(t), 3)
	require.NoError(t, files.Remove(incr1))
	_, _, err := load(t, files)
	require.ErrorContains(t, err, incr1)
}

// command returns a command as Redis logs it.
func command(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}

func commandLines(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		if line[0] == '#' {
			b.WriteString(line + "\r\n")
		} else {
			b.WriteString(command(strings.Fields(line)...))
		}
	}
	return b.String()
}

// redisLog loads a log without batches, as Redis writes it.
func redisLog(t *testing.T, text string) (*log, *Loaded, error) {
	files := memory()
	files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
	files.Put(incr1, []byte(text))
	return load(t, files)
}

func TestLogOfRedis(t *testing.T) {
	l, loaded, err := redisLog(t, commandLines("#TS:1700000000", "SELECT 1", "set s abc", "append s def", "SETRANGE s 1 X", "incrby n 5", "decr n",
		"SET t 9 PXAT 1", "PERSIST t", "SET u 9 PXAT 2", "mset a 1 b 2", "MULTI", "SELECT 2", "ZADD z 1 a 2 b", "zincrby z 2.5 a", "#", "EXEC",
		"SELECT 1", "rename a c", "copy b d DB 2", "PEXPIREAT s 1700000009000", "zadd y NX 1 a", "zrem y a", "del b nope", "SELECT 0", "SET x 1", "FLUSHDB"))
	require.NoError(t, err)
	require.Empty(t, loaded.Torn)
	require.EqualValues(t, 23, loaded.Commands)
	forever := fmt.Sprint(" until ", store.NoExpiry)
	requireSame(t, map[string]string{
		"1 s": "string aXcdef until 1700000009000", "1 n": "string 4" + forever, "1 t": "string 9" + forever, "1 u": "string 9 until 2",
		"1 c": "string 1" + forever, "2 d": "string 2" + forever,
		"2 z": `zset ["b" "" 4000000000000000 "a" "" 400c000000000000]` + forever,
	}, contents(l.store))
}

// TestAStringLongerThanTheMemory: such a command ends the load with its place and advice, also where the load leaves
// out what it does not know.
func TestAStringLongerThanTheMemory(t *testing.T) {
	before := commandLines("SET a 1")
	for _, far := range []string{"SETRANGE k 100000000000000000 x", "SETRANGE k 9223372036854775807 x", "setrange a 100000000000000000 x"} {
		files := memory()
		files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
		files.Put(incr1, []byte(before+commandLines(far)))
		dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
		require.NoError(t, err)
		s := newStore()
		_, err = dir.Load(s, LoadOptions{Now: now, Replayer: replayer(s), RDB: rdb.Options{SkipUnsupported: true}})
		var damage *Damage
		require.ErrorAs(t, err, &damage, far)
		require.EqualValues(t, len(before), damage.Offset)
		require.Equal(t, adviceExhausted, damage.Advice)
	}
}

func TestTornTailsOfRedis(t *testing.T) {
	text := commandLines("SELECT 0", "SET a 1", "MULTI", "SET b 2", "SET c 3", "EXEC")
	first := len(commandLines("SELECT 0", "SET a 1"))
	for cut := first + 1; cut < len(text); cut++ {
		for _, tail := range []string{"", strings.Repeat("\x00", 600), "\x01\x02 garbage * # \r\n"} {
			l, loaded, err := redisLog(t, text[:cut]+tail)
			require.NoError(t, err)
			require.NotEmpty(t, loaded.Torn)
			require.Len(t, contents(l.store), 1, "cut at %d", cut)
		}
	}
	for _, tail := range []string{"#\x00\n", "#C\xff\r\n", "#" + strings.Repeat("c", 200) + "\n", "#CRC:\r\n", "#CRC:00000000:00000000\r\n"} {
		_, loaded, err := redisLog(t, commandLines("SET a 1")+tail)
		require.NoError(t, err)
		require.Contains(t, loaded.Torn, fmt.Sprint("from byte ", len(commandLines("SET a 1")), " "), "%q is no comment", tail)
	}
	for _, middle := range []string{"x", "*1\r\n", "*0\r\n", "*-1\r\n", "*2\r\n$1\r\nab\r\n", "SET a 1\r\n"} {
		_, _, err := redisLog(t, commandLines("SET a 1")+middle+commandLines("SET b 2", "SET c 3"))
		var damage *Damage
		require.ErrorAs(t, err, &damage, middle)
		require.EqualValues(t, len(commandLines("SET a 1")), damage.Offset)
	}
}

func TestCommandsThatCannotBeApplied(t *testing.T) {
	for line, want := range map[string]string{
		"xadd l 1-1 f v":         "unknown command",
		"GET a":                  "not a command that writes",
		"incr s":                 "not an integer",
		"SELECT 3":               "databases",
		"EXEC":                   "not a command that writes",
		"cl.throttle k 15 30 60": "requests of the past",
		"SCRIPT LOAD x":          "not a command that writes",
	} {
		_, _, err := redisLog(t, commandLines("SET s abc", line))
		require.ErrorContains(t, err, want, line)
		require.ErrorContains(t, err, fmt.Sprint("byte ", len(commandLines("SET s abc"))), line)
	}
}

func TestUnsupportedCommandsAreSkipped(t *testing.T) {
	files := memory()
	files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
	files.Put(incr1, []byte(commandLines("SET s abc", "xadd l 1-1 f v", "XADD l 1-2 f v", "lpush list 1", "LPUSH list 2 3", "LPOP list", "SET t 1")))
	dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
	require.NoError(t, err)
	s, o := newStore(), LoadOptions{Now: now}
	o.Replayer, o.RDB.SkipUnsupported = replayer(s), true
	loaded, err := dir.Load(s, o)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"XADD": 2}, loaded.Skipped)
	require.Contains(t, contents(s)["0 list"], `["2" `, "3 2 1 without 3; LPOP without a count is no effect of ours")
	require.Len(t, contents(s), 3)
}

// TestCommandsOfRedisAfterABatch requires that commands are loaded which Redis appended to our file.
func TestCommandsOfRedisAfterABatch(t *testing.T) {
	files, states := history(t, seeded(t), 5)
	whole := files.Get(incr1)
	files.Put(incr1, append(whole, commandLines("SELECT 0", "SET later 1")...))
	l, loaded, err := load(t, files)
	require.NoError(t, err)
	require.Empty(t, loaded.Torn)
	want := states[len(whole)]
	want["0 later"] = "string 1 until -9223372036854775808"
	requireSame(t, want, contents(l.store))
}

// TestLegacyLogsMove moves a log of one file into the directory. An interrupted move is completed.
func TestLegacyLogsMove(t *testing.T) {
	text := []byte(commandLines("SELECT 0", "SET a 1"))
	legacy := memory()
	legacy.Put(parent+"/appendonly.aof", text)
	midway := memory()
	midway.Put(parent+"/appendonly.aof", text)
	midway.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof seq 1 type b\n"))
	for _, files := range []*fstest.Memory{legacy, midway} {
		l := start(t, files, Always)
		require.Len(t, contents(l.store), 1)
		set(l.store, "b", 2)
		l.commit()
		files = files.PowerCut(nil)
		require.Nil(t, files.Get(parent+"/appendonly.aof"))
		again, _, err := load(t, files)
		require.NoError(t, err)
		require.Len(t, contents(again.store), 2)
	}
}

func TestReadErrorsAreNoTornTails(t *testing.T) {
	files, _ := history(t, seeded(t), 5)
	fault := errors.New("input/output error")
	for n := range 20 {
		reads := 0
		files.Fault = func(op fstest.Op) error {
			if op.Kind == "read" && op.Path == incr1 {
				if reads++; reads > n {
					return fault
				}
			}
			return nil
		}
		if _, _, err := load(t, files); err == nil {
			require.Positive(t, n)
			return
		} else {
			require.ErrorIs(t, err, fault)
		}
	}
	t.Fatal("no load without a fault")
}
