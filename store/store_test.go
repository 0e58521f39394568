package store

import (
	"fmt"
	"math/rand"
	"testing"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/internal/randtest"
	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// seeded returns a generator. It prints its seed; the variable SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	return rand.New(rand.NewSource(int64(randtest.Source(t).Uint64())))
}

// scaled returns n, or a tenth of it with -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// whole begins a transaction on every partition.
func whole(s *Store, now int64) *Tx {
	tx := s.NewTx()
	tx.BeginAll(now, 0)
	return tx
}

type modelValue struct {
	text string
	at   int64
}

// expired is the naive form of Cell.Expired. A value whose expiry follows from it as a TAT
// counts as a TAT.
func (m modelValue) expired(nowMillis int64) bool {
	if n, ok := decimal.Parse([]byte(m.text)); ok && table.ExpiryIsTAT(n, m.at) {
		return nowMillis*1e6 >= n
	}
	return m.at != NoExpiry && nowMillis > m.at
}

// model is the naive keyspace with which TestModel compares a store.
type model struct {
	r      *rand.Rand
	now    int64 // Unix ms
	values map[string]modelValue
}

// expire drops the key if it has expired.
func (m *model) expire(key string) {
	if v, ok := m.values[key]; ok && v.expired(m.now) {
		delete(m.values, key)
	}
}

func (m *model) key() string {
	key := fmt.Sprint("key:", m.r.Intn(scaled(30_000)))
	if m.r.Intn(50) == 0 {
		key += string(make([]byte, 2000))
	}
	return key
}

func (m *model) expiry() int64 {
	if m.r.Intn(2) == 0 {
		return NoExpiry
	}
	return m.now + int64(m.r.Intn(20000))
}

// change does the same random change to the entry and to the model.
func (m *model) change(t *testing.T, e *Entry, key string) {
	at := m.expiry()
	was, had := m.values[key]
	switch m.r.Intn(6) {
	case 0:
		v := m.r.Int63n(1000)
		e.SetInt(v, at)
		m.values[key] = modelValue{fmt.Sprint(v), at}
	case 1:
		tat := m.now*1e6 + m.r.Int63n(1e10)
		e.SetInt(tat, table.CeilMillis(tat))
		m.values[key] = modelValue{fmt.Sprint(tat), table.CeilMillis(tat)}
	case 2:
		e.SetBytes([]byte("v"+key), at)
		m.values[key] = modelValue{"v" + key, at}
	case 3:
		require.Equal(t, had, e.Delete())
		delete(m.values, key)
	case 4:
		e.SetExpiry(at)
		if had {
			m.values[key] = modelValue{was.text, at}
		}
	case 5:
		n := len(was.text)
		require.Equal(t, n+3, e.SetRange(n, []byte("abc")))
		if !had {
			was.at = NoExpiry
		}
		m.values[key] = modelValue{was.text + "abc", was.at}
	}
}

// TestModel drives a store and a map with the same random operations.
func TestModel(t *testing.T) {
	s := New(Options{Databases: 2, Seed: 1})
	m := &model{r: seeded(t), now: testNow / 1e6, values: map[string]modelValue{}}
	for step := range scaled(100_000) {
		key := m.key()
		m.now += int64(m.r.Intn(3))
		m.expire(key)
		tx := whole(s, m.now*1e6)
		e := tx.Write([]byte(key))
		want, had := m.values[key]
		require.Equal(t, had, e.Exists(), "step %d", step)
		if had {
			require.Equal(t, want, modelValue{string(e.Bytes(nil)), e.ExpireAt()})
		}
		m.change(t, &e, key)
		if step%scaled(10_000) == 0 {
			checkInvariants(t, tx)
		}
		tx.End()
	}
	tx := whole(s, m.now*1e6)
	checkInvariants(t, tx)
	for key := range m.values {
		m.expire(key)
	}
	got := map[string]modelValue{}
	for key := range scanAll(t, tx, 10) {
		e := tx.Peek([]byte(key))
		got[key] = modelValue{string(e.Bytes(nil)), e.ExpireAt()}
	}
	require.Equal(t, m.values, got)
	tx.Flush()
	tx.End()
	require.Zero(t, s.Used())
	require.Zero(t, s.Len(0))
}

// TestPlainSlot: a plain key has the slot of its checksum, and any byte above 'z' makes a key of any length not plain.
func TestPlainSlot(t *testing.T) {
	r := seeded(t)
	for size := range 40 {
		key := make([]byte, size)
		for i := range key {
			key[i] = byte(r.Intn('z' + 1))
		}
		slot, plain := PlainSlot(key)
		require.Equal(t, size > 0, plain)
		require.Equal(t, crc16(key)%Slots, slot)
		for i := range key {
			before := key[i]
			for c := 'z' + 1; c < 256; c++ {
				key[i] = byte(c)
				_, plain := PlainSlot(key)
				require.False(t, plain, "%q", key)
			}
			key[i] = before
		}
	}
}

func TestSlot(t *testing.T) {
	for key, slot := range map[string]uint16{
		"": 0, "123456789": 12739, "foo": 12182, "foo{}{bar}": 8363, "{user1000}.following": 3443,
		"user1000": 3443, "foo{{bar}}zap": 4015, "{bar": 4015,
	} {
		require.Equal(t, slot, Slot([]byte(key)), key)
	}
}

// TestCRC16 compares the checksum with its definition, bit by bit.
func TestCRC16(t *testing.T) {
	r := seeded(t)
	for n := range 40 {
		b := make([]byte, n)
		r.Read(b)
		want := uint16(0)
		for _, c := range b {
			want ^= uint16(c) << 8
			for range 8 {
				if carry := want&0x8000 != 0; carry {
					want = want<<1 ^ 0x1021
				} else {
					want <<= 1
				}
			}
		}
		require.Equal(t, want, crc16(b), "%x", b)
	}
}

// A string is copied over the former one if that has about the same size, and if no effect and no
// snapshot may still show it.
func TestOverwriting(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	key := []byte("key")
	write := func(texts ...string) (inPlace bool) {
		tx.BeginKey(testNow, 0, key)
		defer tx.End()
		e := tx.Write(key)
		var before *byte
		if e.Exists() {
			before = unsafe.SliceData(e.Bytes(nil))
		}
		for _, text := range texts {
			e.SetBytes([]byte(text), NoExpiry)
			require.Equal(t, text, string(e.Bytes(nil)))
		}
		return before == unsafe.SliceData(e.Bytes(nil))
	}
	write("first text")
	require.True(t, write("other text"))
	require.True(t, write("8 chars."))
	require.False(t, write("a longer text"))
	require.False(t, write("t"), "a much shorter string does not keep so much memory")
	write("first text")
	require.False(t, write("a", "b"), "a second effect of a transaction")
	write("first text")
	snapshot, err := s.Snapshot(testNow, func() {})
	require.NoError(t, err)
	require.False(t, write("other text"), "the snapshot must see the former string")
	var seen []string
	require.NoError(t, snapshot.Each(func(im *Image) error {
		seen = append(seen, string(im.Bytes))
		return nil
	}))
	require.Equal(t, []string{"first text"}, seen)
	snapshot.Close()
	require.True(t, write("first text"))
}
