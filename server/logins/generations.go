package logins

import "net/netip"

// generations keeps a value for each of the last addresses. After maxAddresses new ones it forgets the older
// half.
type generations[T any] struct{ recent, older map[netip.Addr]*T }

// maxAddresses bounds the addresses before the older half is forgotten. A client needs more addresses than
// this to make the server forget one. Each takes about 250 bytes.
const maxAddresses = 10_000

// get returns the value of an address, nil if there is none. The address is one of the recent ones then.
func (g *generations[T]) get(addr netip.Addr) *T {
	if v := g.recent[addr]; v != nil {
		return v
	}
	if v := g.older[addr]; v != nil {
		return g.put(addr, v)
	}
	return nil
}

// put stores the value of an address, and returns it.
func (g *generations[T]) put(addr netip.Addr, v *T) *T {
	if g.recent == nil || g.recent[addr] == nil && len(g.recent) >= maxAddresses {
		g.recent, g.older = map[netip.Addr]*T{}, g.recent
	}
	g.recent[addr] = v
	return v
}

func (g *generations[T]) len() int { return len(g.recent) + len(g.older) }
