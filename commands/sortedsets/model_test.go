package sortedsets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestSortedSetsModel runs random commands on a server and on naive sets, and compares the replies.
// SEED repeats a run.
func TestSortedSetsModel(t *testing.T) {
	source := randtest.Source(t)
	for members := 5; members <= 320; members *= 4 {
		m := &setsModel{Rand: rand.New(source), members: members, sets: map[string]naiveSet{}}
		h := servertest.New(t)
		for range 1500 {
			args, want := m.step()
			require.Equal(t, h.Wire(want), h.Do(args...), "%v", args)
		}
	}
}

// naiveSet is a sorted set as a map. It sorts its items for each command.
type naiveSet map[string]float64

func (n naiveSet) items() []store.Item {
	items := []store.Item{}
	for m, s := range n {
		items = append(items, store.Item{Score: s, Member: m})
	}
	slices.SortFunc(items, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Member, b.Member))
	})
	return items
}

// setsModel is a keyspace of naive sets and a source of random commands.
type setsModel struct {
	*rand.Rand
	members int
	sets    map[string]naiveSet
}

func (m *setsModel) key() string    { return string(rune('a' + m.IntN(3))) }
func (m *setsModel) member() string { return fmt.Sprintf("m%03d", m.IntN(m.members)) }

func (m *setsModel) score() float64 {
	if m.IntN(30) == 0 {
		return math.Inf(m.IntN(2)*2 - 1)
	}
	return float64(m.IntN(12)-4) / 2
}

func scoreText(f float64) string {
	if math.IsInf(f, 0) {
		return map[bool]string{true: "inf", false: "-inf"}[f > 0]
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// put stores a set. An empty set is an absent key.
func (m *setsModel) put(key string, n naiveSet) {
	if m.sets[key] = n; len(n) == 0 {
		delete(m.sets, key)
	}
}

// step changes the model and returns a command with its expected reply.
func (m *setsModel) step() (args []any, want any) {
	steps := []func(key string) ([]any, any){
		m.add, m.add, m.add, m.add, m.incr, m.remove, m.look, m.rangeOf, m.rangeOf, m.rangeOf, m.count, m.store,
		m.removeRange, m.pop, m.combine, m.combine,
	}
	return steps[m.IntN(len(steps))](m.key())
}

func (m *setsModel) add(key string) ([]any, any) {
	option := []string{"", "NX", "XX", "GT", "LT"}[m.IntN(5)]
	args := []any{"ZADD", key, "CH"}
	if option != "" {
		args = append(args, option)
	}
	set, changed := m.sets[key], 0
	if set == nil {
		set = naiveSet{}
	}
	for range 1 + m.IntN(max(m.members/8, 2)) {
		score, member := m.score(), m.member()
		args = append(args, scoreText(score), member)
		old, there := set[member]
		refused := option == "NX" && there || option == "XX" && !there ||
			there && (option == "GT" && score <= old || option == "LT" && score >= old)
		if !refused && (!there || old != score) {
			set[member] = score
			changed++
		}
	}
	m.put(key, set)
	return args, changed
}

func (m *setsModel) incr(key string) ([]any, any) {
	by, member := m.score(), m.member()
	args := []any{"ZINCRBY", key, scoreText(by), member}
	set := m.sets[key]
	sum := set[member] + by
	if math.IsNaN(sum) {
		return args, errScoreNaN
	}
	if set == nil {
		set = naiveSet{}
	}
	set[member] = sum
	m.put(key, set)
	return args, scoreText(sum)
}

func (m *setsModel) remove(key string) ([]any, any) {
	a, b := m.member(), m.member()
	before := len(m.sets[key])
	delete(m.sets[key], a)
	delete(m.sets[key], b)
	n := before - len(m.sets[key])
	m.put(key, m.sets[key])
	return []any{"ZREM", key, a, b}, n
}

func (m *setsModel) look(key string) ([]any, any) {
	member := m.member()
	items := m.sets[key].items()
	rank := slices.IndexFunc(items, func(it store.Item) bool { return it.Member == member })
	switch {
	case m.IntN(4) == 0:
		return []any{"ZCARD", key}, len(items)
	case rank < 0:
		return []any{[]string{"ZRANK", "ZREVRANK", "ZSCORE"}[m.IntN(3)], key, member}, nil
	case m.IntN(2) == 0:
		return []any{"ZREVRANK", key, member}, len(items) - 1 - rank
	}
	return []any{"ZMSCORE", key, member, "absent"}, []any{scoreText(items[rank].Score), nil}
}

// filter chooses a range of ranks or scores. It returns its arguments and its items.
func (m *setsModel) filter(key string) (by string, first, last string, items []store.Item) {
	all := m.sets[key].items()
	if m.IntN(2) == 0 {
		n := len(all)
		from, to := m.IntN(2*n+3)-n-1, m.IntN(2*n+3)-n-1
		for i, it := range all {
			if (i >= from && from >= 0 || i-n >= from && from < 0) && (i <= to && to >= 0 || i-n <= to && to < 0) {
				items = append(items, it)
			}
		}
		return "RANK", strconv.Itoa(from), strconv.Itoa(to), items
	}
	low, high, lowOpen, highOpen := m.score(), m.score(), m.IntN(3) == 0, m.IntN(3) == 0
	for _, it := range all {
		if (it.Score > low || it.Score == low && !lowOpen) && (it.Score < high || it.Score == high && !highOpen) {
			items = append(items, it)
		}
	}
	open := map[bool]string{true: "("}
	return "SCORE", open[lowOpen] + scoreText(low), open[highOpen] + scoreText(high), items
}

func (m *setsModel) rangeOf(key string) ([]any, any) {
	by, first, last, items := m.filter(key)
	if by == "RANK" {
		return []any{"ZRANGE", key, first, last, "WITHSCORES"}, flat(items)
	}
	offset, count := m.IntN(4), m.IntN(8)-2
	args := []any{"ZRANGEBYSCORE", key, first, last, "WITHSCORES", "LIMIT", offset, count}
	if m.IntN(2) == 0 {
		slices.Reverse(items)
		args = []any{"ZRANGE", key, last, first, "REV", "LIMIT", offset, count, "WITHSCORES", "BYSCORE"}
	}
	items = items[min(offset, len(items)):]
	if count >= 0 {
		items = items[:min(count, len(items))]
	}
	return args, flat(items)
}

func (m *setsModel) count(key string) ([]any, any) {
	for {
		if by, first, last, items := m.filter(key); by == "SCORE" {
			return []any{"ZCOUNT", key, first, last}, len(items)
		}
	}
}

func (m *setsModel) store(key string) ([]any, any) {
	by, first, last, items := m.filter(key)
	dst, set := m.key(), naiveSet{}
	for _, it := range items {
		set[it.Member] = it.Score
	}
	m.put(dst, set)
	args := []any{"ZRANGESTORE", dst, key, first, last}
	if by == "SCORE" {
		args = append(args, "BYSCORE")
	}
	return args, len(items)
}

func (m *setsModel) removeRange(key string) ([]any, any) {
	by, first, last, items := m.filter(key)
	for _, it := range items {
		delete(m.sets[key], it.Member)
	}
	m.put(key, m.sets[key])
	return []any{"ZREMRANGEBY" + by, key, first, last}, len(items)
}

func (m *setsModel) pop(key string) ([]any, any) {
	items, name, n := m.sets[key].items(), "ZPOPMIN", m.IntN(4)
	if m.IntN(2) == 0 {
		name = "ZPOPMAX"
		slices.Reverse(items)
	}
	items = items[:min(n, len(items))]
	for _, it := range items {
		delete(m.sets[key], it.Member)
	}
	m.put(key, m.sets[key])
	return []any{name, key, n}, flat(items)
}

// combine stores a union, an intersection or a difference of two sets.
func (m *setsModel) combine(a string) ([]any, any) {
	b, dst := m.key(), m.key()
	name, aggregate := []string{"UNION", "INTER", "DIFF"}[m.IntN(3)], []string{"SUM", "MIN", "MAX"}[m.IntN(3)]
	set := naiveSet{}
	for member := range m.union(a, b) {
		x, inA := m.sets[a][member]
		y, inB := m.sets[b][member]
		switch {
		case inA && inB && name == "DIFF":
		case inA && inB:
			set[member] = map[string]float64{"SUM": x + y, "MIN": min(x, y), "MAX": max(x, y)}[aggregate]
			if math.IsNaN(set[member]) {
				set[member] = 0
			}
		case inA && name != "INTER":
			set[member] = x
		case inB && name == "UNION":
			set[member] = y
		}
	}
	m.put(dst, set)
	args := []any{"Z" + name + "STORE", dst, 2, a, b}
	if name != "DIFF" {
		args = append(args, "AGGREGATE", aggregate)
	}
	return args, len(set)
}

func (m *setsModel) union(a, b string) map[string]bool {
	u := map[string]bool{}
	for _, key := range []string{a, b} {
		for member := range m.sets[key] {
			u[member] = true
		}
	}
	return u
}

func flat(items []store.Item) []string {
	list := []string{}
	for _, it := range items {
		list = append(list, it.Member, scoreText(it.Score))
	}
	return list
}
