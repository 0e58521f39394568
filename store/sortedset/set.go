package sortedset

import (
	"maps"
	"math"
	"slices"
	"sort"
	"unsafe"

	"cellserver/store/value"

	"github.com/tidwall/btree"
)

// Item is one member of a sorted set with its score.
type Item struct {
	Score  float64
	Member string
}

// less orders items by score, and equal scores by the bytes of the member.
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

// Limits bound the compact form of a set: the most members, and the longest member in bytes.
// They are Redis's zset-max-listpack-entries and zset-max-listpack-value.
type Limits struct{ Members, MemberBytes int }

// Set holds members in the order of their scores. Every range by rank, score or member is an
// interval of ranks ([Set.Search]). A score is never NaN. A Set is not safe for concurrent use.
//
// A small set is a sorted slice: the compact form. Once it exceeds its [Limits], it becomes a
// tree and a map, and stays so.
type Set struct {
	small  []Item              // in order; unused once there is a tree
	order  *btree.BTreeG[Item] // nil in the compact form
	scores map[string]float64  // the score of each member of the tree; shares its strings; nil if a fork has it
	under  map[string]float64  // of a draft: the scores of the other set; scores has what differs, with NaN for a removed member
	peak   int                 // most members since scores was made: a Go map does not shrink
	bytes  int64               // of all items
}

const (
	emptyBytes = 128 // an empty set

	// The memory of an item without its member's bytes: in the slice, and in the tree
	// together with the map.
	smallItemBytes = 32
	largeItemBytes = 96

	// With treeDegree, moving an item and finding a rank cost the least together. Small nodes have
	// fewer counts to add up; large nodes make fewer levels.
	treeDegree = 12

	// If three quarters of a slice or of a map are empty, the set copies it to a smaller one. A slice
	// below shrinkSlice items stays, and so does a map below shrinkMap.
	shrinkSlice = 16
	shrinkMap   = 1024
)

// New returns an empty set.
func New() *Set { return &Set{} }

// NewOf returns a set of the items. If a member comes twice, its last score counts. Scores
// must not be NaN.
func NewOf(items []Item, limits Limits) *Set {
	items = lastOfEach(items)
	if !slices.IsSortedFunc(items, compareItems) {
		slices.SortFunc(items, compareItems)
	}
	z := setOf(items)
	longest := 0
	for _, it := range items {
		longest = max(longest, len(it.Member))
	}
	if len(items) > limits.Members || longest > limits.MemberBytes {
		z.enlarge()
		return z
	}
	for i := range items {
		items[i].Score = withoutSign(items[i].Score)
	}
	return z
}

// setOf returns a set of sorted items in the compact form, whatever the limits are.
func setOf(items []Item) *Set {
	z := &Set{small: items}
	for _, it := range items {
		z.bytes += z.itemBytes(it.Member)
	}
	return z
}

// lastOfEach returns a copy of the items that keeps only the last item of each member.
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

// enlarge changes the compact form to a tree and a map.
func (z *Set) enlarge() {
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

// Kind returns [value.Sorted].
func (z *Set) Kind() value.Kind { return value.Sorted }

// Encoding returns Redis's name of the set's form, for OBJECT ENCODING.
func (z *Set) Encoding() string {
	if z.Compact() {
		return "listpack"
	}
	return "skiplist"
}

// Compact reports whether the set has its compact form.
func (z *Set) Compact() bool { return z.order == nil }

// Len returns the number of members.
func (z *Set) Len() int {
	if z.order == nil {
		return len(z.small)
	}
	return z.order.Len()
}

// Bytes returns about how much memory the set takes, in bytes.
func (z *Set) Bytes() int64 { return z.bytes + emptyBytes }

func (z *Set) itemBytes(member string) int64 {
	if z.order == nil {
		return smallItemBytes + int64(len(member))
	}
	return largeItemBytes + int64(len(member))
}

// smallRank returns the rank of a member in the compact form, or -1.
func (z *Set) smallRank(member string) int {
	if member == "" {
		return slices.IndexFunc(z.small, func(it Item) bool { return it.Member == "" })
	}
	last := len(member) - 1 // members of one set often share their first bytes, rarely their last
	tail, items := member[last], z.small
	for i := range items {
		if m := items[i].Member; len(m) == len(member) && m[last] == tail && m == member {
			return i
		}
	}
	return -1
}

// Score returns the score of a member, and whether the member is there.
func (z *Set) Score(member []byte) (float64, bool) {
	if z.order != nil {
		return z.scoreOf(borrow(member))
	}
	if i := z.smallRank(borrow(member)); i >= 0 {
		return z.small[i].Score, true
	}
	return 0, false
}

// Rank returns the number of items before the member, and whether the member is there.
func (z *Set) Rank(member []byte) (int, bool) {
	if z.order == nil {
		i := z.smallRank(borrow(member))
		return max(i, 0), i >= 0
	}
	s, ok := z.scoreOf(borrow(member))
	if !ok {
		return 0, false
	}
	it := Item{s, borrow(member)}
	return z.Search(func(o Item) bool { return !less(o, it) }), true
}

// At returns the item of a rank, 0 ≤ rank < Len.
func (z *Set) At(rank int) Item {
	if z.order == nil {
		return z.small[rank]
	}
	it, _ := z.order.GetAt(rank)
	return it
}

// Search returns the lowest rank whose item satisfies reached, or Len if no item does. If
// reached holds for an item, it must hold for every later item.
func (z *Set) Search(reached func(Item) bool) int {
	n := z.Len()
	switch { // most ranges are open at one end: the first and the last item decide
	case n == 0 || reached(z.At(0)):
		return 0
	case !reached(z.At(n - 1)):
		return n
	}
	return 1 + sort.Search(n-2, func(i int) bool { return reached(z.At(i + 1)) })
}

// Range calls f for the items of ranks from … to-1, until f returns false. The order is
// ascending, or descending if reverse is true. f must not change the set.
func (z *Set) Range(from, to int, reverse bool, f func(Item) bool) {
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

// Set gives a member its score. It reports whether the member is new, and whether anything
// changed. The score must not be NaN. The member's bytes are copied.
func (z *Set) Set(score float64, member []byte, limits Limits) (added, changed bool) {
	if z.order != nil {
		return z.setLarge(score, member)
	}
	it := Item{Score: score}
	if i := z.smallRank(borrow(member)); i >= 0 {
		if z.small[i].Score == score {
			return false, false
		}
		it.Member = z.small[i].Member
		z.small = slices.Delete(z.small, i, i+1)
	} else if len(z.small) >= limits.Members || len(member) > limits.MemberBytes {
		z.enlarge()
		return z.setLarge(score, member)
	} else {
		it.Member, added = string(member), true
		z.bytes += z.itemBytes(it.Member)
	}
	it.Score = withoutSign(score)
	i := len(z.small)
	if i > 0 && less(it, z.small[i-1]) { // most new items are the last ones
		i, _ = slices.BinarySearchFunc(z.small, it, compareItems)
	}
	z.small = slices.Insert(z.small, i, it)
	return added, true
}

func (z *Set) setLarge(score float64, member []byte) (added, changed bool) {
	it := Item{Score: score}
	if old, had := z.scoreOf(borrow(member)); had {
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

// withoutSign returns the score as the compact form keeps it: without the sign of a negative
// zero. Redis's listpack keeps whole numbers as integers, so it drops that sign, too.
func withoutSign(score float64) float64 {
	if score == 0 {
		return 0
	}
	return score
}

// Remove takes a member out and reports whether it was there.
func (z *Set) Remove(member []byte) bool { return z.remove(borrow(member)) }

func (z *Set) remove(member string) bool {
	if z.order == nil {
		i := z.smallRank(member)
		if i >= 0 {
			z.cut(i, i+1)
		}
		return i >= 0
	}
	score, had := z.scoreOf(member)
	if had {
		was, _ := z.order.Delete(Item{score, member})
		if z.under != nil {
			z.scores[was.Member] = math.NaN()
		} else {
			delete(z.scores, member)
		}
		z.bytes -= z.itemBytes(member)
		z.shrink()
	}
	return had
}

// cut removes the items of ranks from … to-1 in the compact form.
func (z *Set) cut(from, to int) {
	for _, it := range z.small[from:to] {
		z.bytes -= z.itemBytes(it.Member)
	}
	z.small = slices.Delete(z.small, from, to)
	if cap(z.small) >= shrinkSlice && len(z.small)*4 < cap(z.small) {
		z.small = slices.Clone(z.small)
	}
}

// scoreOf returns the score of a member of a tree, and whether the member is there.
func (z *Set) scoreOf(member string) (float64, bool) {
	score, ok := z.scoresOf()[member]
	if !ok && z.under != nil {
		score, ok = z.under[member]
	}
	return score, ok && !math.IsNaN(score)
}

// scoresOf returns the map of a tree. It makes the map if a fork has taken it.
func (z *Set) scoresOf() map[string]float64 {
	if z.scores == nil {
		z.scores = make(map[string]float64, z.order.Len())
		z.order.Scan(func(it Item) bool {
			z.scores[it.Member] = it.Score
			return true
		})
		z.peak = len(z.scores)
	}
	return z.scores
}

// shrink copies the map to a smaller one once three quarters of it are empty.
func (z *Set) shrink() {
	if z.peak >= shrinkMap && len(z.scores)*4 < z.peak {
		scores := make(map[string]float64, len(z.scores))
		maps.Copy(scores, z.scores)
		z.scores, z.peak = scores, len(scores)
	}
}

// borrow returns the bytes as a string for a lookup, which must not keep it.
func borrow(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf returns the string's own bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
