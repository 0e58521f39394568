//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestDiskFull fills the disk of a server that writes. The server must go on answering, and every acknowledged write
// must be there. After there is space again, it must recover by itself within two seconds, and no file may have a torn
// tail.
func TestDiskFull(t *testing.T) {
	p := subject(t)
	for _, policy := range policies {
		t.Run(policy, func(t *testing.T) {
			r := random(t)
			n := rounds(1, 20)
			refused := 0
			for range n {
				d := newDisk(t, 16, "data=ordered")
				l := newLoad(p, r, 2, 5, 16)
				s := p.start(t, d.dir, appendOnly(policy)...)
				require.True(t, l.once(t, s.addr))
				leave(t, d, 64<<10)
				l.begin(s.addr)
				require.True(t, within(patience, func() (bool, error) {
					return !acknowledged(s, "SET", "big", strings.Repeat("x", 4000)), nil
				}), "the disk is full and writes are acknowledged")
				time.Sleep(time.Duration(r.Intn(300)) * time.Millisecond)
				require.Equal(t, resptest.Simple("PONG"), s.do(t, "PING"))
				require.NotNil(t, s.do(t, "GET", "0 counter0"))
				begun := time.Now()
				s.do(t, "BGREWRITEAOF") // finds no space either, and leaves no files
				idle(s)
				l.slowest = time.Since(begun)
				require.NotEqual(t, "ok", s.info(t, "aof_last_write_status"))
				l.end(t)
				refused += l.refused()
				makeRoom(t, d)
				recovers(t, s, l)
				s.kill()
				s = p.start(t, d.dir, appendOnly(policy)...)
				l.check(t, s, time.Now()).nothingLost(t, s)
				for name := range files(t, d.dir) {
					require.NotContains(t, name, "temp-")
					require.NotContains(t, name, "torn")
				}
				s.kill()
				approved(t, d.dir)
			}
			t.Logf("%d disks filled, %d writes refused", n, refused)
		})
	}
}

// leave fills the disk until room bytes are free.
func leave(t *testing.T, d *disk, room int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	require.NoError(t, err)
	defer f.Close()
	chunk := make([]byte, 16<<10)
	for err == nil {
		_, err = f.Write(chunk)
	}
	info, err := f.Stat()
	require.NoError(t, err)
	require.NoError(t, f.Truncate(info.Size()-room))
	require.NoError(t, f.Sync())
}

func makeRoom(t *testing.T, d *disk) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(d.dir, "filler")))
}

// acknowledged sends a command and reports whether it succeeded. Under always, a server may
// close the connection instead of replying with an error.
func acknowledged(s *server, args ...any) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	v, err := c.do(args...)
	_, failed := v.(resptest.Error)
	return err == nil && !failed
}
