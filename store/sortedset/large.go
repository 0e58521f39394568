package sortedset

import (
	"maps"
	"math"
	"sort"

	"cellserver/store/value"

	"github.com/tidwall/btree"
)

// large is the form of a set that exceeds the limits of the compact form.
type large struct {
	order  *btree.BTreeG[Item]
	scores map[string]float64 // the score of each member; shares the strings of order; nil if a fork has it
	under  map[string]float64 // of a draft: the scores of the other set; NaN in scores is a removed member
	peak   int                // most members since scores was made: a Go map does not shrink
	bytes  int64              // of all items
}

const (
	emptyBytes = 128 // an empty set
	itemBytes  = 96  // an item in the tree and in the map, without its member's bytes

	// With treeDegree, moving an item and finding a rank cost the least together. Small nodes have
	// fewer counts to add up; large nodes make fewer levels.
	treeDegree = 12

	// If three quarters of a map of shrinkMap members or more are empty, the set copies it to a smaller one.
	shrinkMap = 8

	// pathBytes is about how much of a tree a change copies if another tree shares its nodes.
	pathBytes = 4096
)

// largeOf returns a set of items in order.
func largeOf(items []Item) *large {
	g := &large{
		order:  btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: treeDegree}),
		scores: make(map[string]float64, len(items)), peak: len(items),
	}
	for _, it := range items {
		g.order.Load(it)
		g.scores[it.Member] = it.Score
		g.bytes += bytesOfItem(it.Member)
	}
	return g
}

func bytesOfItem(member string) int64 { return itemBytes + int64(len(member)) }

// Kind implements [value.Collection], as the other methods do.
func (*large) Kind() value.Kind { return value.Sorted }
func (*large) Encoding() string { return "skiplist" }
func (g *large) Len() int       { return g.order.Len() }
func (g *large) Bytes() int64   { return g.bytes + emptyBytes }

// Fork shares the nodes of the tree, and hands over the map. The receiver makes another map when a method
// needs it.
func (g *large) Fork() (c value.Collection, copied int64) {
	f := *g
	f.order, g.scores, g.under = g.order.Copy(), nil, nil
	return &f, pathBytes
}

// Clone shares the nodes of the tree.
func (g *large) Clone() value.Collection {
	c := &large{order: g.order.Copy(), bytes: g.bytes}
	if g.under == nil { // else the copy makes its map when it needs it
		c.scores = maps.Clone(g.scoresOf())
		c.peak = len(c.scores)
	}
	return c
}

// draft is [Set.Draft].
func (g *large) draft() value.Collection {
	if g.under != nil {
		return g.Clone()
	}
	return &large{order: g.order.Copy(), under: g.scoresOf(), scores: map[string]float64{}, bytes: g.bytes}
}

func (g *large) at(rank int) Item {
	it, _ := g.order.GetAt(rank)
	return it
}

func (g *large) rank(member string) (rank int, ok bool) {
	s, ok := g.scoreOf(member)
	if !ok {
		return 0, false
	}
	it := Item{s, member}
	return g.search(func(o Item) bool { return !less(o, it) }), true
}

// search is [Set.Search].
func (g *large) search(reached func(Item) bool) int {
	n := g.Len()
	switch { // most ranges are open at one end: the first and the last item decide
	case n == 0 || reached(g.at(0)):
		return 0
	case !reached(g.at(n - 1)):
		return n
	}
	return 1 + sort.Search(n-2, func(i int) bool { return reached(g.at(i + 1)) })
}

// eachOf is [Set.Range].
func (g *large) eachOf(from, to int, reverse bool, f func(Item) bool) {
	n := to - from
	if n <= 0 {
		return
	}
	step := func(it Item) bool {
		n--
		return f(it) && n > 0
	}
	if reverse {
		g.order.Descend(g.at(to-1), step)
	} else {
		g.order.Ascend(g.at(from), step)
	}
}

// set gives a member its score.
func (g *large) set(score float64, member []byte) (added, changed bool) {
	it := Item{Score: score}
	if old, had := g.scoreOf(borrow(member)); had {
		if old == score {
			return false, false
		}
		was, _ := g.order.Delete(Item{old, borrow(member)})
		it.Member = was.Member
	} else {
		it.Member, added = string(member), true
		g.bytes += bytesOfItem(it.Member)
	}
	g.order.Set(it)
	g.scores[it.Member] = score
	g.peak = max(g.peak, len(g.scores))
	return added, true
}

// remove takes a member out and reports whether it was there.
func (g *large) remove(member string) bool {
	score, had := g.scoreOf(member)
	if had {
		was, _ := g.order.Delete(Item{score, member})
		if g.under != nil {
			g.scores[was.Member] = math.NaN()
		} else {
			delete(g.scores, member)
		}
		g.bytes -= bytesOfItem(member)
		g.shrink()
	}
	return had
}

// removeRange is [RemoveRange]. If fewer items are left than it takes out, it makes a new set from these.
// For 300,000 items ZREMRANGEBYRANK then takes about half of the time.
func (g *large) removeRange(from, to int, removed func(member []byte)) *large {
	g.eachOf(from, to, false, func(it Item) bool {
		removed(bytesOf(it.Member))
		return true
	})
	if g.under == nil && to-from > g.Len()/2 {
		kept := make([]Item, 0, g.Len()-(to-from))
		return largeOf(g.items(g.items(kept, 0, from), to, g.Len()))
	}
	for _, it := range g.items(make([]Item, 0, to-from), from, to) {
		g.remove(it.Member)
	}
	return g
}

// items appends the items of ranks from … to-1.
func (g *large) items(all []Item, from, to int) []Item {
	g.eachOf(from, to, false, func(it Item) bool {
		all = append(all, it)
		return true
	})
	return all
}

// scoreOf returns the score of a member, and whether the member is there.
func (g *large) scoreOf(member string) (float64, bool) {
	score, ok := g.scoresOf()[member]
	if !ok && g.under != nil {
		score, ok = g.under[member]
	}
	return score, ok && !math.IsNaN(score)
}

// scoresOf returns the map. It makes the map if a fork has taken it.
func (g *large) scoresOf() map[string]float64 {
	if g.scores == nil {
		g.scores = make(map[string]float64, g.order.Len())
		g.order.Scan(func(it Item) bool {
			g.scores[it.Member] = it.Score
			return true
		})
		g.peak = len(g.scores)
	}
	return g.scores
}

// shrink copies the map to a smaller one once three quarters of it are empty.
func (g *large) shrink() {
	if g.peak >= shrinkMap && len(g.scores)*4 < g.peak {
		scores := make(map[string]float64, len(g.scores))
		maps.Copy(scores, g.scores)
		g.scores, g.peak = scores, len(scores)
	}
}
