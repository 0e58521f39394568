package hashes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestHashesModel runs random commands on a server and on naive hashes, and compares the replies. SEED repeats a run.
func TestHashesModel(t *testing.T) {
	source := randtest.Source(t)
	for fields := 4; fields <= 256; fields *= 8 {
		m := &model{Rand: rand.New(source), fields: fields, hashes: map[string]*naiveHash{}}
		h := servertest.New(t)
		h.Store.SetLimits(store.Limits{HashEntries: 16, HashValue: 20})
		for range 3000 {
			args, want := m.step()
			require.Equal(t, h.Wire(want), m.inOrder(args, h.Do(args...)), "%v", args)
		}
	}
}

// naiveHash is a list of fields in the order in which they were added, and their values.
type naiveHash struct {
	order  []string
	values map[string]string
	large  bool
}

func (n *naiveHash) set(field, value string) (added int) {
	if _, had := n.values[field]; !had {
		n.order = append(n.order, field)
		added = 1
	}
	n.values[field] = value
	n.large = n.large || len(n.order) > 16 || len(field) > 20 || len(value) > 20
	return added
}

type model struct {
	*rand.Rand
	fields int
	hashes map[string]*naiveHash
}

func (m *model) key() string   { return string(rune('a' + m.IntN(3))) }
func (m *model) field() string { return "f" + strconv.Itoa(m.IntN(m.fields)) }

func (m *model) value() string {
	switch m.IntN(40) {
	case 0:
		return strings.Repeat("long", 6)
	case 1:
		return strings.Repeat("longer", 200)
	case 2:
		return "007"
	}
	return strconv.Itoa(m.IntN(1 << m.IntN(60)))
}

func (m *model) of(key string) *naiveHash {
	if n := m.hashes[key]; n != nil {
		return n
	}
	return &naiveHash{values: map[string]string{}}
}

// inOrder sorts the replies of large hashes, which have no order.
func (m *model) inOrder(args []any, reply any) any {
	name, key := args[0].(string), args[1].(string)
	all, isList := reply.([]any)
	if !isList || !m.of(key).large || !slices.Contains([]string{"HGETALL", "HKEYS", "HVALS"}, name) {
		return reply
	}
	size := 1
	if name == "HGETALL" {
		size = 2
	}
	chunks := slices.Collect(slices.Chunk(all, size))
	slices.SortFunc(chunks, func(a, b []any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return slices.Concat(chunks...)
}

func (m *model) step() (args []any, want any) {
	steps := []func(key string) ([]any, any){m.set, m.set, m.set, m.set, m.remove, m.remove, m.get, m.get, m.all, m.all, m.incr, m.rest}
	return steps[m.IntN(len(steps))](m.key())
}

func (m *model) set(key string) ([]any, any) {
	n, added := m.of(key), 0
	args := []any{"HSET", key}
	for range 1 + m.IntN(4) {
		field, value := m.field(), m.value()
		args = append(args, field, value)
		added += n.set(field, value)
	}
	m.hashes[key] = n
	return args, added
}

func (m *model) remove(key string) ([]any, any) {
	n, removed := m.of(key), 0
	args := []any{"HDEL", key}
	for range 1 + m.IntN(m.fields/2) {
		field := m.field()
		args = append(args, field)
		if _, had := n.values[field]; had {
			delete(n.values, field)
			n.order = slices.DeleteFunc(n.order, func(f string) bool { return f == field })
			removed++
		}
	}
	if len(n.order) == 0 {
		delete(m.hashes, key)
	}
	return args, removed
}

func (m *model) get(key string) ([]any, any) {
	n, args, want := m.of(key), []any{"HMGET", key}, []any{}
	for range 1 + m.IntN(4) {
		field := m.field()
		args = append(args, field)
		if value, had := n.values[field]; had {
			want = append(want, value)
		} else {
			want = append(want, nil)
		}
	}
	return args, want
}

func (m *model) all(key string) ([]any, any) {
	n, name, want := m.of(key), []string{"HGETALL", "HKEYS", "HVALS"}[m.IntN(3)], []any{}
	for _, field := range n.order {
		if name != "HVALS" {
			want = append(want, field)
		}
		if name != "HKEYS" {
			want = append(want, n.values[field])
		}
	}
	return []any{name, key}, m.inOrder([]any{name, key}, want)
}

func (m *model) incr(key string) ([]any, any) {
	n, field, by := m.of(key), m.field(), m.IntN(100)-50
	args := []any{"HINCRBY", key, field, by}
	was := n.values[field]
	i, err := strconv.Atoi("0" + was)
	if strings.HasPrefix(was, "-") {
		i, err = strconv.Atoi(was)
	}
	if err != nil || len(was) > 1 && was[0] == '0' {
		return args, errNotIntegerField
	}
	n.set(field, strconv.Itoa(i+by))
	m.hashes[key] = n
	return args, i + by
}

func (m *model) rest(key string) ([]any, any) {
	n, field := m.of(key), m.field()
	value, had := n.values[field]
	switch m.IntN(4) {
	case 0:
		return []any{"HLEN", key}, len(n.order)
	case 1:
		return []any{"HSTRLEN", key, field}, len(value)
	case 2:
		if len(n.order) == 0 {
			return []any{"OBJECT", "ENCODING", "absent"}, nil
		}
		return []any{"OBJECT", "ENCODING", key}, map[bool]string{false: "listpack", true: "hashtable"}[n.large]
	}
	if !had {
		n.set(field, "new")
		m.hashes[key] = n
	}
	return []any{"HSETNX", key, field, "new"}, map[bool]int{false: 1, true: 0}[had]
}
