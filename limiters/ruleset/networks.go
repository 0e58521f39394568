package ruleset

import (
	"iter"
	"net/netip"
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
)

// The key of an override may be a network, such as 10.0.0.0/8. Then the override holds for all addresses and
// smaller networks in it. Each of these keys has a state of its own. If several overrides hold for a key, the
// one of the smallest network decides. An override of the key itself goes before all networks.

// networkCounts counts the overrides that are networks, by the length of their prefix.
type networkCounts struct {
	count  int
	v4, v6 [129]uint32
}

// byLength returns the counts for the family of an address.
func (n *networkCounts) byLength(address netip.Addr) *[129]uint32 {
	if address.Is4() {
		return &n.v4
	}
	return &n.v6
}

// add adds `by` to the count of the network of an override, if its key is a network.
func (n *networkCounts) add(key string, by int) {
	if network, ok := parseNetwork(key); ok && network.String() == key {
		n.count += by
		n.byLength(network.Addr())[network.Bits()] += uint32(by)
	}
}

// aroundKey returns the networks around a key, from the smallest on. It leaves out lengths that no override
// has. It returns none for a key that is neither an address nor a network.
func (n *networkCounts) aroundKey(key []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if n.count == 0 || !mayBeAddress(key) {
			return
		}
		network, ok := parseNetwork(string(key))
		if !ok {
			return
		}
		var text [longestNetwork]byte
		counts := n.byLength(network.Addr())
		for bits := network.Bits(); bits >= 0; bits-- {
			around := netip.PrefixFrom(network.Addr(), bits)
			if counts[bits] > 0 && !yield(around.Masked().AppendTo(text[:0])) {
				return
			}
		}
	}
}

// longestNetwork is how many bytes a network has at most: eight groups of four digits, and /128.
const longestNetwork = 43

// mayBeAddress reports whether a key begins as an address does, and is not too long for one.
func mayBeAddress(key []byte) bool {
	if len(key) < len("::") || len(key) > 64 { // a zone may follow
		return false
	}
	c := key[0]
	return c == ':' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// parseNetwork parses a network, or an address as the network of this one address. It drops a zone. An IPv4
// address in the form of IPv6 becomes an IPv4 address.
func parseNetwork(key string) (netip.Prefix, bool) {
	text, _, hasLength := strings.Cut(key, "/")
	written, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	address := written.Unmap().WithZone("")
	if !hasLength {
		return netip.PrefixFrom(address, address.BitLen()), true
	}
	network, err := netip.ParsePrefix(key)
	if err != nil {
		return netip.Prefix{}, false
	}
	network = netip.PrefixFrom(address, network.Bits()-(written.BitLen()-address.BitLen()))
	return network.Masked(), network.IsValid()
}

// faultOfNetwork returns an error if a key begins with an address and a slash, but is not the usual text of a
// network. It returns nil for all other keys of new overrides.
func faultOfNetwork(key string) error {
	address, _, hasLength := strings.Cut(key, "/")
	if _, err := netip.ParseAddr(address); err != nil || !hasLength {
		return nil
	}
	network, ok := parseNetwork(key)
	switch {
	case !ok:
		return rediserr.Error("ERR key " + quote.Word(key) +
			" is no network: write an address and the length of its prefix, such as 10.0.0.0/8")
	case network.String() != key:
		return rediserr.Error("ERR key " + quote.Word(key) +
			" is not the usual text of its network: write " + network.String())
	}
	return nil
}
