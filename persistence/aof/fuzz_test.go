package aof

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// FuzzLoad loads any bytes as the last file of a log: as they are, and as a batch with the right checksum, which a
// fuzzer would not guess. The log loads, is torn or is refused, in memory that fits its size. After a torn tail was cut
// off, the next start must load the same keys.
func FuzzLoad(f *testing.F) {
	addLogs(f)
	f.Fuzz(func(t *testing.T, p []byte) {
		requireStable(t, p)
		batch := append(make([]byte, format.HeaderSize), p...)
		format.Seal(batch)
		requireStable(t, batch)
	})
}

// addLogs adds real logs, intact, cut and damaged, and logs that a crash or an attacker could make.
func addLogs(f *testing.F) {
	files, _ := history(f, rand.New(rand.NewPCG(1, 0)), 4)
	ours := files.Get(incr1)
	redis, err := os.ReadFile("testdata/redis-7.0.incr.aof")
	require.NoError(f, err)
	for _, log := range [][]byte{ours, redis, append(redis[:len(redis):len(redis)], ours...)} {
		f.Add(log)
		f.Add(log[:len(log)-3])
		f.Add(flip(log, len(log)/2))
		f.Add(append(log[:len(log):len(log)], make([]byte, 2*blockSize)...))
	}
	f.Add(ours[format.HeaderSize:])
	f.Add([]byte("#CRC:00000000:0000009999\r\n#TS:1700000000\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9000\r\n" + string(ours)))
	for _, claim := range []string{
		"*1048576\r\n$1\r\nx\r\n", "*2\r\n$1099511627776\r\nx", "#CRC:00000000:9999999999\r\n*1\r\n", "*1\r\n$5\r\nMULTI\r\n*1\r\n$536870912\r\n",
		"REDIS0009\x00\x81\x00\x00\x01\x00\x00\x00\x00\x00abc",
	} {
		f.Add([]byte(claim))
	}
}

// requireStable loads p as the last file of a log, twice, as two starts of a server do.
func requireStable(t *testing.T, p []byte) {
	files := memory()
	files.Put(appendDir+"appendonly.aof.manifest", []byte("file appendonly.aof.1.incr.aof seq 1 type i\n"))
	files.Put(incr1, p)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, dir, loaded, err := loadBounded(t, files)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20+1000*len(p)))
	require.Equal(t, p, files.Get(incr1), "loading changes no file")
	if err != nil {
		var damage *Damage
		require.ErrorAs(t, err, &damage)
		return
	}
	_, err = dir.CutTornTail(loaded)
	require.NoError(t, err)
	again, _, repaired, err := loadBounded(t, files)
	require.NoError(t, err)
	require.Empty(t, repaired.Torn)
	require.Equal(t, loaded.Commands, repaired.Commands)
	requireSame(t, contents(s), contents(again))
}

// loadBounded loads the log in files into a store that refuses large SETRANGEs: such a command makes a large string
// from a few bytes.
func loadBounded(t *testing.T, files *fstest.Memory) (*store.Store, *Dir, *Loaded, error) {
	dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
	require.NoError(t, err)
	s := store.New(store.Options{Databases: 3, Seed: 1, Refuse: func(bytes int) bool { return bytes >= 1<<20 }})
	loaded, err := dir.Load(s, LoadOptions{Now: now, Replayer: replayer(s)})
	return s, dir, loaded, err
}
