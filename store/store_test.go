package store

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seeded returns a generator whose seed is printed, and settable by SEED.
func seeded(t *testing.T) *rand.Rand {
	seed := time.Now().UnixNano()
	if s := os.Getenv("SEED"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
		seed = n
	}
	t.Logf("SEED=%d", seed)
	return rand.New(rand.NewSource(seed))
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
	var fp Footprint
	fp.AddAll()
	tx := s.NewTx()
	tx.Begin(now, 0, &fp)
	return tx
}

type modelValue struct {
	text string
	at   int64
}

// over is the naive form of cell.over; a value whose expiry is its own as a TAT counts
// as one.
func (m modelValue) over(nowMillis int64) bool {
	if n, ok := ParseInt([]byte(m.text)); ok && expiryIsTAT(n, m.at) {
		return nowMillis*1e6 >= n
	}
	return m.at != NoExpiry && nowMillis > m.at
}

// TestModel drives a store and a map with the same random operations.
func TestModel(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 2, Seed: 1})
	model := map[string]modelValue{}
	now := int64(1_700_000_000_000)
	for step := range scaled(100_000) {
		key := fmt.Sprint("key:", r.Intn(scaled(30_000)))
		if r.Intn(50) == 0 {
			key += string(make([]byte, 2000))
		}
		now += int64(r.Intn(3))
		if m, ok := model[key]; ok && m.over(now) {
			delete(model, key)
		}
		tx := whole(s, now*1e6)
		e := tx.Write([]byte(key))
		want, had := model[key]
		require.Equal(t, had, e.Exists(), "step %d", step)
		if had {
			require.Equal(t, want.text, string(e.Bytes(nil)))
			require.Equal(t, want.at, e.ExpireAt())
		}
		at := NoExpiry
		if r.Intn(2) == 0 {
			at = now + int64(r.Intn(20000))
		}
		switch r.Intn(6) {
		case 0:
			v := r.Int63n(1000)
			e.SetInt(v, at)
			model[key] = modelValue{fmt.Sprint(v), at}
		case 1:
			tat := now*1e6 + r.Int63n(1e10)
			e.SetInt(tat, ceilMillis(tat))
			model[key] = modelValue{fmt.Sprint(tat), ceilMillis(tat)}
		case 2:
			e.SetBytes([]byte("v"+key), at)
			model[key] = modelValue{"v" + key, at}
		case 3:
			require.Equal(t, had, e.Delete())
			delete(model, key)
		case 4:
			if had {
				e.SetExpiry(at)
				model[key] = modelValue{want.text, at}
			}
		case 5:
			n := len(want.text)
			require.Equal(t, n+3, e.SetRange(n, []byte("abc")))
			if !had {
				want.at = NoExpiry
			}
			model[key] = modelValue{want.text + "abc", want.at}
		}
		if step%scaled(10_000) == 0 {
			checkInvariants(t, tx)
		}
		tx.End()
	}
	tx := whole(s, now*1e6)
	checkInvariants(t, tx)
	got := map[string]modelValue{}
	var cursor uint64
	for {
		cursor = tx.Scan(cursor, 10, func(e *Entry) {
			require.NotContains(t, got, string(e.Key()))
			got[string(e.Key())] = modelValue{string(e.Bytes(nil)), e.ExpireAt()}
		})
		require.Less(t, cursor, uint64(1)<<53)
		if cursor == 0 {
			break
		}
	}
	for k, m := range model {
		if m.over(now) {
			delete(model, k)
		}
	}
	require.Equal(t, model, got)
	tx.Flush()
	tx.End()
	require.Zero(t, s.Used())
	require.Zero(t, s.Len(0))
}

func TestSlot(t *testing.T) {
	for key, slot := range map[string]uint16{
		"": 0, "123456789": 12739, "foo": 12182, "foo{}{bar}": 8363, "{user1000}.following": 3443,
		"user1000": 3443, "foo{{bar}}zap": 4015, "{bar": 4015,
	} {
		require.Equal(t, slot, Slot([]byte(key)), key)
	}
}

// TestCRC16 holds the checksum against its definition, bit by bit.
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
