package sortedset

// RemoveRange takes the items of ranks from … to-1 out. If fewer items are left than it takes out, it makes
// a new large form from these. For 300,000 items ZREMRANGEBYRANK then takes about half of the time.
func (z *Set) RemoveRange(from, to int) {
	switch {
	case z.order == nil:
		z.cut(from, to)
	case z.under == nil && to-from > z.Len()/2:
		z.keepOutside(from, to)
	default:
		for _, it := range z.items(nil, from, to) {
			z.remove(it.Member)
		}
	}
}

// keepOutside makes a new large form from the items of ranks 0 … from-1 and from rank `to` on.
func (z *Set) keepOutside(from, to int) {
	kept := make([]Item, 0, z.Len()-(to-from))
	kept = z.items(z.items(kept, 0, from), to, z.Len())
	next := setOf(kept)
	next.enlarge()
	*z = *next
}

// items appends the items of ranks from … to-1.
func (z *Set) items(all []Item, from, to int) []Item {
	z.Range(from, to, false, func(it Item) bool {
		all = append(all, it)
		return true
	})
	return all
}
