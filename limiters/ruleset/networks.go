package ruleset

import (
	"iter"
	"net/netip"
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
)

// The key of an override may be a network, such as 10.0.0.0/8. Then it is that of all addresses and of all
// smaller networks in it. Each of them keeps a state of its own. The smallest network decides, and an
// override of the key itself goes before all networks.

// lengths counts the overrides that are networks, by the length of their prefix.
type lengths struct {
	count  int
	v4, v6 [129]uint32
}

// of returns the counts for one family of addresses.
func (l *lengths) of(at netip.Addr) *[129]uint32 {
	if at.Is4() {
		return &l.v4
	}
	return &l.v6
}

// add counts an override, if it is a network.
func (l *lengths) add(key string, by int) {
	if network, ok := parseNetwork(key); ok && network.String() == key {
		l.count += by
		l.of(network.Addr())[network.Bits()] += uint32(by)
	}
}

// around returns the networks around a key whose lengths overrides have, from the smallest on. It returns
// none for a key that is no address and no network.
func (l *lengths) around(key []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if l.count == 0 || !mayBeAddress(key) {
			return
		}
		network, ok := parseNetwork(string(key))
		if !ok {
			return
		}
		var text [netip6Bytes]byte
		counts := l.of(network.Addr())
		for bits := network.Bits(); bits >= 0; bits-- {
			around := netip.PrefixFrom(network.Addr(), bits)
			if counts[bits] > 0 && !yield(around.Masked().AppendTo(text[:0])) {
				return
			}
		}
	}
}

// netip6Bytes is the length of the longest network: eight groups of four digits, and /128.
const netip6Bytes = 43

// mayBeAddress reports whether a key begins as an address does.
func mayBeAddress(key []byte) bool {
	if len(key) < len("::") || len(key) > 64 { // a zone may follow
		return false
	}
	c := key[0]
	return c == ':' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// parseNetwork parses an address or a network. An IPv4 address in the form of IPv6 is an IPv4 address.
func parseNetwork(key string) (netip.Prefix, bool) {
	text, _, sized := strings.Cut(key, "/")
	at, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	all := at.BitLen()
	if at.Is4In6() {
		at = at.Unmap()
	}
	if at = at.WithZone(""); !sized {
		return netip.PrefixFrom(at, at.BitLen()), true
	}
	network, err := netip.ParsePrefix(key)
	if err != nil {
		return netip.Prefix{}, false
	}
	network = netip.PrefixFrom(at, network.Bits()-(all-at.BitLen()))
	return network.Masked(), network.IsValid()
}

// faultOfKey returns the error of the key of a new override that is an address and a slash, but no network.
// It returns nil for all other keys.
func faultOfKey(key string) error {
	at, _, sized := strings.Cut(key, "/")
	if _, err := netip.ParseAddr(at); err != nil || !sized {
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
