package aof

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"cellserver/internal/decimal"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// FuzzLoad has any bytes be the last file of a log, as they are and as a batch with its checksum, which no fuzzer
// would guess. They load, are torn or are refused, in memory that they explain; and what loads once a tear was mended
// is the same at the next start.
func FuzzLoad(f *testing.F) {
	addLogs(f)
	f.Fuzz(func(t *testing.T, p []byte) {
		requireStable(t, p)
		batch := append(make([]byte, headerSize), p...)
		seal(batch)
		requireStable(t, batch)
	})
}

// addLogs adds real logs, whole, cut and damaged, and what a crash or an enemy may make of one.
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
	f.Add(ours[headerSize:])
	for _, claim := range []string{
		"*1048576\r\n$1\r\nx\r\n", "*2\r\n$1099511627776\r\nx", "#CRC:00000000:9999999999\r\n*1\r\n", "*1\r\n$5\r\nMULTI\r\n*1\r\n$536870912\r\n",
		"REDIS0009\x00\x81\x00\x00\x01\x00\x00\x00\x00\x00abc",
	} {
		f.Add([]byte(claim))
	}
}

// requireStable loads p as a log's last file, as two starts in a row would.
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
	_, err = dir.Mend(loaded)
	require.NoError(t, err)
	again, _, mended, err := loadBounded(t, files)
	require.NoError(t, err)
	require.Empty(t, mended.Torn)
	require.Equal(t, loaded.Commands, mended.Commands)
	requireSame(t, contents(s), contents(again))
}

// loadBounded loads the log that is in files, but for the one command that makes much of a few bytes.
func loadBounded(t *testing.T, files *fstest.Memory) (*store.Store, *Dir, *Loaded, error) {
	dir, err := Open(files, home, "appendonlydir", "appendonly.aof")
	require.NoError(t, err)
	s := newStore()
	server := foreign(s)
	loaded, err := dir.Load(s, LoadOptions{Now: now, Foreign: func(db int, args [][]byte) error {
		if len(args) == 4 && is(args[0], "SETRANGE") {
			if to, ok := decimal.Parse(args[2]); ok && to > 1<<16 {
				return errors.New("too long a string for this test")
			}
		}
		return server(db, args)
	}})
	return s, dir, loaded, err
}
