package aof

import (
	"fmt"
	"runtime"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// BenchmarkLoad loads the log of a million throttle keys, in batches of a number of commands, or without batches like
// the log of a Redis.
func BenchmarkLoad(b *testing.B) {
	const commands = 1_000_000
	for _, batch := range []int{1, 64, 0} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			dir := throttleLog(b, commands, batch)
			_, changes, _, err := dir.Stat()
			require.NoError(b, err)
			b.SetBytes(changes)
			for b.Loop() {
				s := newStore()
				loaded, err := dir.Load(s, LoadOptions{Now: now, Replayer: replayer(s), Progress: func(int64) {}})
				require.NoError(b, err)
				require.EqualValues(b, commands+1, loaded.Commands)
				require.Equal(b, commands, s.Len(0))
				b.StopTimer()
				runtime.GC() // frees the memory of the store
				b.StartTimer()
			}
			b.ReportMetric(commands*float64(b.N)/b.Elapsed().Seconds(), "commands/s")
		})
	}
}

// throttleLog returns a log of throttle keys in batches of a number of commands. 0 means: without headers.
func throttleLog(b *testing.B, commands, batch int) *Dir {
	dir, err := Open(fs.OS{}, b.TempDir(), "d", "f")
	require.NoError(b, err)
	require.NoError(b, dir.Create())
	f, err := dir.NewFile()
	require.NoError(b, err)
	require.NoError(b, dir.Append(f))
	header := 0
	if batch > 0 {
		header = format.HeaderSize
	}
	e := newEncoder()
	e.buf = make([]byte, header)
	for i := range commands {
		tat := now + int64(i)*1000
		e.transaction([]store.Effect{{Op: store.OpSet, Key: fmt.Appendf(nil, "user:%012d", i*7919%commands), Operands: store.Operands{Int: tat}, At: (tat + 999_999) / 1e6}})
		if i%max(batch, 64) == max(batch, 64)-1 || i == commands-1 || batch == 1 {
			if batch > 0 {
				format.Seal(e.buf)
			}
			_, err := f.file.Write(e.buf)
			require.NoError(b, err)
			e.buf = e.buf[:header]
		}
	}
	return dir
}
