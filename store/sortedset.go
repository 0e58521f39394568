package store

import (
	"maps"
	"slices"
	"sort"

	"github.com/tidwall/btree"
)

// Item is one member of a sorted set with its score.
type Item struct {
	Score  float64
	Member string
}

// less orders items by score, then by the bytes of the member.
func less(a, b Item) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Member < b.Member
}

func compareItems(a, b Item) int {
	switch {
	case less(a, b):
		return -1
	case less(b, a):
		return 1
	}
	return 0
}

// SortedSet holds members in the order of their scores. Every range, by rank, score or
// member, is an interval of ranks ([SortedSet.Search]). It is changed only through an
// [Entry]; it is not safe for concurrent use.
//
// A small one is just a sorted slice. Once it exceeds the store's limits
// ([Store.SetCompactLimits]) it becomes a tree with a map beside it, and stays so.
type SortedSet struct {
	small  []Item              // in order; unused once there is a tree
	order  *btree.BTreeG[Item] // nil while compact
	scores map[string]float64  // of the tree's items, whose strings it shares
	peak   int                 // most members since scores was made: a map does not shrink
	bytes  int64

	snapshot uint32 // the number of the last one that this is a copy after
}

// compactLimits are the most members, and the longest one in bytes, of a compact set.
type compactLimits struct{ members, bytes int }

// SetCompactLimits sets how many members (zset-max-listpack-entries, 128 at first) of
// how many bytes (zset-max-listpack-value, 64 at first) a sorted set has at most to be
// kept in its compact form. Sets that are there already keep theirs until they grow.
func (s *Store) SetCompactLimits(members, bytes int) {
	s.compact.Store(&compactLimits{members, bytes})
}

const (
	sortedSetBytes = 128 // an empty set

	// What an item takes beside its member's bytes: in the slice, and in a tree node
	// and the map.
	smallItemBytes = 32
	largeItemBytes = 96

	// treeDegree is where moving an item and finding a rank cost the least together:
	// small nodes have fewer counts to add up, large ones fewer levels.
	treeDegree = 12
	// shrinkSlice and shrinkMap are from what size on the slice and the map are made
	// anew when they have become mostly empty.
	shrinkSlice = 16
	shrinkMap   = 1024
)

func newSortedSet() *SortedSet { return &SortedSet{} }

// newSortedSetOf makes a set of items. Of a member named twice the last counts.
func newSortedSetOf(items []Item, limits compactLimits) *SortedSet {
	items = lastOfEach(items)
	if !slices.IsSortedFunc(items, compareItems) {
		slices.SortFunc(items, compareItems)
	}
	z := newSortedSet()
	longest := 0
	for _, it := range items {
		z.bytes += smallItemBytes + int64(len(it.Member))
		longest = max(longest, len(it.Member))
	}
	z.small = items
	if len(items) > limits.members || longest > limits.bytes {
		z.enlarge()
		return z
	}
	for i := range items {
		items[i].Score = unsigned(items[i].Score)
	}
	return z
}

// lastOfEach returns a copy of the items in which each member has its last score only.
func lastOfEach(items []Item) []Item {
	last := make(map[string]int, len(items))
	for i, it := range items {
		last[it.Member] = i
	}
	own := make([]Item, 0, len(last))
	for i, it := range items {
		if last[it.Member] == i {
			own = append(own, it)
		}
	}
	return own
}

// enlarge gives up the compact form.
func (z *SortedSet) enlarge() {
	z.order = btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: treeDegree})
	z.scores = make(map[string]float64, len(z.small))
	for _, it := range z.small {
		z.order.Load(it)
		z.scores[it.Member] = it.Score
	}
	z.peak = len(z.small)
	z.bytes += int64(z.peak) * (largeItemBytes - smallItemBytes)
	z.small = nil
}

// Compact reports whether the set has its compact form: OBJECT ENCODING's listpack.
func (z *SortedSet) Compact() bool { return z.order == nil }

// Len returns the number of members.
func (z *SortedSet) Len() int {
	if z.order == nil {
		return len(z.small)
	}
	return z.order.Len()
}

// Bytes returns the memory the set takes, about.
func (z *SortedSet) Bytes() int64 { return z.bytes + sortedSetBytes }

func (z *SortedSet) itemBytes(member string) int64 {
	if z.order == nil {
		return smallItemBytes + int64(len(member))
	}
	return largeItemBytes + int64(len(member))
}

// place returns the rank of a member of a compact set, or -1.
func (z *SortedSet) place(member string) int {
	if member == "" {
		return slices.IndexFunc(z.small, func(it Item) bool { return it.Member == "" })
	}
	last := len(member) - 1 // members of one set begin alike more often than they end alike
	tail, items := member[last], z.small
	for i := range items {
		if m := items[i].Member; len(m) == len(member) && m[last] == tail && m == member {
			return i
		}
	}
	return -1
}

// Score returns the score of a member.
func (z *SortedSet) Score(member []byte) (float64, bool) {
	if z.order != nil {
		s, ok := z.scores[string(member)]
		return s, ok
	}
	if i := z.place(borrow(member)); i >= 0 {
		return z.small[i].Score, true
	}
	return 0, false
}

// Rank returns the number of items before the member.
func (z *SortedSet) Rank(member []byte) (int, bool) {
	if z.order == nil {
		i := z.place(borrow(member))
		return max(i, 0), i >= 0
	}
	s, ok := z.scores[string(member)]
	if !ok {
		return 0, false
	}
	it := Item{s, borrow(member)}
	return z.Search(func(o Item) bool { return !less(o, it) }), true
}

// At returns the item of a rank, 0 ≤ rank < Len.
func (z *SortedSet) At(rank int) Item {
	if z.order == nil {
		return z.small[rank]
	}
	it, _ := z.order.GetAt(rank)
	return it
}

// Search returns the lowest rank whose item satisfies reached, or Len; reached must
// hold for every item after the first for which it holds.
func (z *SortedSet) Search(reached func(Item) bool) int {
	n := z.Len()
	switch { // most ranges are open at one end
	case n == 0 || reached(z.At(0)):
		return 0
	case !reached(z.At(n - 1)):
		return n
	}
	return 1 + sort.Search(n-2, func(i int) bool { return reached(z.At(i + 1)) })
}

// Range calls f for the items of ranks from … to-1, in order, or in reverse from to-1
// down to from, until it returns false.
func (z *SortedSet) Range(from, to int, reverse bool, f func(Item) bool) {
	n := to - from
	if n <= 0 {
		return
	}
	if z.order == nil {
		rangeSmall(z.small[from:to], reverse, f)
		return
	}
	step := func(it Item) bool {
		n--
		return f(it) && n > 0
	}
	if reverse {
		z.order.Descend(z.At(to-1), step)
	} else {
		z.order.Ascend(z.At(from), step)
	}
}

func rangeSmall(items []Item, reverse bool, f func(Item) bool) {
	for i := range items {
		if reverse {
			i = len(items) - 1 - i
		}
		if !f(items[i]) {
			return
		}
	}
}

// set gives a member its score and reports whether it is new, and whether anything changed.
func (z *SortedSet) set(score float64, member []byte, limits compactLimits) (added, changed bool) {
	if z.order != nil {
		return z.setLarge(score, member)
	}
	it := Item{Score: score}
	if i := z.place(borrow(member)); i >= 0 {
		if z.small[i].Score == score {
			return false, false
		}
		it.Member = z.small[i].Member
		z.small = slices.Delete(z.small, i, i+1)
	} else if len(z.small) >= limits.members || len(member) > limits.bytes {
		z.enlarge()
		return z.setLarge(score, member)
	} else {
		it.Member, added = string(member), true
		z.bytes += z.itemBytes(it.Member)
	}
	it.Score = unsigned(score)
	i := len(z.small)
	if i > 0 && less(it, z.small[i-1]) { // what comes last belongs there most often
		i, _ = slices.BinarySearchFunc(z.small, it, compareItems)
	}
	z.small = slices.Insert(z.small, i, it)
	return added, true
}

func (z *SortedSet) setLarge(score float64, member []byte) (added, changed bool) {
	it := Item{Score: score}
	if old, had := z.scores[string(member)]; had {
		if old == score {
			return false, false
		}
		was, _ := z.order.Delete(Item{old, borrow(member)})
		it.Member = was.Member
	} else {
		it.Member, added = string(member), true
		z.bytes += z.itemBytes(it.Member)
	}
	z.order.Set(it)
	z.scores[it.Member] = score
	z.peak = max(z.peak, len(z.scores))
	return added, true
}

// unsigned is a score as compact sets keep it: without the sign of a negative zero, as
// in Redis, whose listpack has integers.
func unsigned(score float64) float64 {
	if score == 0 {
		return 0
	}
	return score
}

// remove takes a member out and reports whether it was there.
func (z *SortedSet) remove(member string) bool {
	if z.order == nil {
		i := z.place(member)
		if i >= 0 {
			z.cut(i, i+1)
		}
		return i >= 0
	}
	score, had := z.scores[member]
	if had {
		z.order.Delete(Item{score, member})
		delete(z.scores, member)
		z.bytes -= z.itemBytes(member)
		z.shrink()
	}
	return had
}

// removeRange takes the items of ranks from … to-1 out.
func (z *SortedSet) removeRange(from, to int) {
	if z.order == nil {
		z.cut(from, to)
		return
	}
	members := make([]string, 0, to-from)
	z.Range(from, to, false, func(it Item) bool {
		members = append(members, it.Member)
		return true
	})
	for _, member := range members {
		z.remove(member)
	}
}

// cut removes the ranks from … to-1 of a compact set.
func (z *SortedSet) cut(from, to int) {
	for _, it := range z.small[from:to] {
		z.bytes -= z.itemBytes(it.Member)
	}
	z.small = slices.Delete(z.small, from, to)
	if cap(z.small) >= shrinkSlice && len(z.small)*4 < cap(z.small) {
		z.small = slices.Clone(z.small)
	}
}

// shrink makes the map anew once it is mostly empty.
func (z *SortedSet) shrink() {
	if z.peak >= shrinkMap && len(z.scores)*4 < z.peak {
		scores := make(map[string]float64, len(z.scores))
		maps.Copy(scores, z.scores)
		z.scores, z.peak = scores, len(scores)
	}
}

// fork returns a copy that changes from now on, while z stays as it is, to be ranged over.
func (z *SortedSet) fork() *SortedSet {
	c := *z
	if z.order != nil {
		c.order = z.order.Copy()
	} else {
		c.small = slices.Clone(z.small)
	}
	return &c
}

// clone returns a copy that changes independently. The trees share their nodes until
// one of them changes.
func (z *SortedSet) clone() *SortedSet {
	c := &SortedSet{small: slices.Clone(z.small), peak: len(z.scores), bytes: z.bytes}
	if z.order != nil {
		c.order, c.scores = z.order.Copy(), maps.Clone(z.scores)
	}
	return c
}
