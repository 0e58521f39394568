package raftlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

func TestStableValues(t *testing.T) {
	m := &fstest.Memory{}
	s, err := Open(m, dir, Options{})
	require.NoError(t, err)
	n, err := s.GetUint64([]byte("CurrentTerm"))
	require.NoError(t, err)
	require.Zero(t, n)
	b, err := s.Get([]byte("LastVoteCand"))
	require.NoError(t, err)
	require.Empty(t, b)
	require.Nil(t, m.Get(dir+"/stable"))

	require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 1<<63+5))
	vote := []byte("10.0.0.1:16379")
	require.NoError(t, s.Set([]byte("LastVoteCand"), vote))
	require.NoError(t, s.Set([]byte("empty"), nil))
	vote[0] = 'x' // the store has a copy
	for _, after := range []*fstest.Memory{m, m.Kill(), m.PowerCut(nil)} {
		s, err := Open(after, dir, Options{})
		require.NoError(t, err)
		n, err := s.GetUint64([]byte("CurrentTerm"))
		require.NoError(t, err)
		require.Equal(t, uint64(1<<63+5), n)
		b, err := s.Get([]byte("LastVoteCand"))
		require.NoError(t, err)
		require.Equal(t, "10.0.0.1:16379", string(b))
		b[0] = 'x'
		_, err = s.GetUint64([]byte("LastVoteCand"))
		require.ErrorContains(t, err, "is not a number")
	}
}

// TestTheSameValueCostsNothing also covers the term that Raft sets again.
func TestTheSameValueCostsNothing(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	before := m.Ops()
	require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 1))
	require.Equal(t, before, m.Ops())
}

func TestStableValuesHaveABound(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{})
	require.ErrorContains(t, s.Set(make([]byte, 256), nil), "its key has 256 bytes")
	require.ErrorContains(t, s.Set([]byte("key"), make([]byte, 64<<10)), "is too large")
	require.NoError(t, s.Set([]byte("a"), make([]byte, 40<<10)))
	require.EqualError(t, s.Set([]byte("b"), make([]byte, 40<<10)), "the values have 81966 bytes, more than 65536")
	require.NoError(t, s.failure())
}

// TestSetAtEveryFault fails each operation of a Set, and cuts the power there. The disk then has the old value or the new
// one; and the new one if Set returned no error. The store refuses everything after a failure.
func TestSetAtEveryFault(t *testing.T) {
	r := seeded(t)
	for n := 0; ; n++ {
		m := &fstest.Memory{}
		s := open(t, m, Options{})
		first := m.Ops() + n
		m.Fault = func(op fstest.Op) error {
			if op.N == first {
				return errors.New("no")
			}
			return nil
		}
		err := s.SetUint64([]byte("CurrentTerm"), 2)
		if err == nil {
			require.Greater(t, n, 4)
			require.EqualValues(t, 2, termAfter(t, m.PowerCut(nil)))
			return
		}
		require.ErrorContains(t, err, "takes no changes")
		term, getErr := s.GetUint64([]byte("CurrentTerm"))
		require.NoError(t, getErr)
		require.EqualValues(t, 1, term)
		require.Equal(t, err, s.SetUint64([]byte("CurrentTerm"), 3))
		require.Equal(t, err, s.StoreLog(entry(1)))
		require.Contains(t, []uint64{1, 2}, termAfter(t, m.PowerCut(r)))
		require.Contains(t, []uint64{1, 2}, termAfter(t, m.Kill()))
	}
}

func termAfter(t *testing.T, m *fstest.Memory) uint64 {
	s, err := Open(m, dir, Options{})
	require.NoError(t, err)
	term, err := s.GetUint64([]byte("CurrentTerm"))
	require.NoError(t, err)
	return term
}

func TestDamagedStableValues(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	require.NoError(t, s.Set([]byte("LastVoteCand"), []byte("n1")))
	intact := m.Get(dir + "/stable")
	for n := range intact {
		for _, damaged := range [][]byte{intact[:n], append(append(bytes.Clone(intact[:n]), intact[n]^4), intact[n+1:]...)} {
			m.Put(dir+"/stable", damaged)
			_, err := Open(m, dir, Options{})
			require.ErrorContains(t, err, dir+"/stable is damaged: it", "byte %d", n)
		}
	}
	for reason, text := range map[string]string{
		"it has version 2, and this server knows version 1 only": "\x02",
		"it ends within a value":                                 "\x01\x03\x00",
		"it ends within a value. Restore":                        "\x01\x03\x02\x00keyv",
		"it has 65537 bytes":                                     "\x01" + strings.Repeat("x", maxStable-4),
	} {
		m.Put(dir+"/stable", append(binary.LittleEndian.AppendUint32(nil, crc32.Checksum([]byte(text), castagnoli)), text...))
		_, err := Open(m, dir, Options{})
		require.ErrorContains(t, err, reason)
	}
}

// TestALogWithoutItsVoteIsRefused keeps a node from voting twice in one term.
func TestALogWithoutItsVoteIsRefused(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	require.NoError(t, s.StoreLog(entry(1)))
	require.NoError(t, m.Remove(dir+"/stable"))
	_, err := Open(m, dir, Options{})
	require.EqualError(t, err, "/data/raft/stable is lost: it has the term and the vote of the node. Restore the file from a copy, "+
		"or remove the directory /data/raft: then the node joins the cluster as a new one and gets all data from the leader")
}
