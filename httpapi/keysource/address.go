package keysource

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// prefix is how many bits of an IPv6 address a key has by default. A client has all addresses of such a
// network.
const prefix = 64

// parseAddressPart parses "ip", "ip/56", "ip-header:X-Real-Ip" and "ip-header:X-Real-Ip/56". It returns
// no reader for another word.
func parseAddressPart(word string) (p part, err error) {
	if word == "ip" {
		return part{read: readAddress}, nil
	}
	name, length, sized := strings.Cut(word, "/")
	header, named := strings.CutPrefix(name, "ip-header:")
	bits := prefix
	if sized {
		bits, err = strconv.Atoi(length)
	}
	switch {
	case name != "ip" && !named, !named && strings.Trim(length, "0123456789") != "":
		return part{}, nil
	case err != nil || bits < 1 || bits > 128:
		return part{}, fmt.Errorf("%.64s: an IPv6 network has 1 to 128 bits", word)
	}
	if !named {
		header = "X-Forwarded-For"
	}
	return part{textproto.CanonicalMIMEHeaderKey(header), func(r *Request, header string) (string, error) {
		return r.network(header, bits)
	}}, nil
}

func readAddress(r *Request, _ string) (string, error) { return r.network("X-Forwarded-For", prefix) }

// network returns the address of the client, or the network of its IPv6 address.
func (r *Request) network(header string, bits int) (string, error) {
	at, err := r.client(header)
	switch {
	case err != nil:
		return "", err
	case at.Is4():
		return at.String(), nil
	}
	network, err := at.Prefix(bits)
	return network.String(), err
}

func (r *Request) client(header string) (netip.Addr, error) {
	switch header {
	case "X-Forwarded-For":
		return r.behindProxies(hops{lists: r.Header[header]})
	case "Forwarded":
		lists, err := forwardedFor(r.Header[header])
		if err != nil {
			return netip.Addr{}, err
		}
		return r.behindProxies(hops{lists: lists})
	}
	text, err := only(r.Header[header])
	if err != nil {
		return netip.Addr{}, err
	}
	return parseAddress(text)
}

// behindProxies chooses the address of the client. h has the addresses that proxies have written. The client
// may have written those to the left. Behind n proxies the n-th address from the right is that of the
// client. If the networks of the proxies are known, it is the first one outside of them.
func (r *Request) behindProxies(h hops) (at netip.Addr, err error) {
	if len(r.Networks) == 0 && r.Proxies > 0 {
		for n := 1; ; n++ {
			hop, found := h.next()
			switch {
			case !found:
				return at, errTooFew
			case n == r.Proxies:
				return parseAddress(hop)
			}
		}
	}
	at, err = parseAddress(r.RemoteAddr)
	for err == nil && r.isProxy(at) {
		hop, found := h.next()
		if !found {
			break
		}
		at, err = parseAddress(hop)
	}
	return at, err
}

func (t *Trust) isProxy(at netip.Addr) bool {
	return slices.ContainsFunc(t.Networks, func(n netip.Prefix) bool { return n.Contains(at) })
}

// hops are the elements of a list in headers, from the right to the left. An iterator would cost eight
// allocations a request. It must never show an element twice, or an empty one.
type hops struct {
	lists []string
	rest  string // of the last list that was taken from lists
	more  bool   // rest has an element
}

func (h *hops) next() (hop string, found bool) {
	for hop == "" {
		if !h.more {
			if len(h.lists) == 0 {
				return "", false
			}
			last := len(h.lists) - 1
			h.rest, h.lists = h.lists[last], h.lists[:last]
		}
		at := strings.LastIndexByte(h.rest, ',')
		hop, h.rest, h.more = strings.TrimSpace(h.rest[at+1:]), h.rest[:max(at, 0)], at >= 0
	}
	return hop, true
}

// forwardedFor returns the addresses of Forwarded headers (RFC 7239), "-" for an element without an address.
func forwardedFor(lists []string) (all []string, err error) {
	for _, list := range lists {
		elements, whole := splitUnquoted(list, ',')
		if !whole {
			return nil, ErrForwarded
		}
		for _, element := range elements {
			hop := "-"
			pairs, _ := splitUnquoted(element, ';')
			for _, pair := range pairs {
				name, value, _ := strings.Cut(pair, "=")
				if strings.EqualFold(strings.TrimSpace(name), "for") {
					hop = strings.ReplaceAll(strings.Trim(strings.TrimSpace(value), `"`), `\`, "")
					hop, _, _ = strings.Cut(hop, ":_") // the port may be a secret name
				}
			}
			if strings.TrimSpace(element) != "" {
				all = append(all, cmp.Or(strings.TrimSpace(strings.ReplaceAll(hop, ",", "-")), "-"))
			}
		}
	}
	return all, nil
}

// splitUnquoted splits a text at a separator outside of quotes. whole is false if a quote has no end.
func splitUnquoted(s string, separator byte) (parts []string, whole bool) {
	quoted, begin := false, 0
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			parts, begin = append(parts, s[begin:i]), i+1
		}
	}
	return append(parts, s[begin:]), !quoted
}

// parseAddress parses an address with or without a port. An IPv4 address in a form of IPv6 is an IPv4
// address.
func parseAddress(text string) (netip.Addr, error) {
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			end := max(strings.LastIndexByte(text, ':'), 0) // CloudFront writes no brackets
			with, err = netip.ParseAddrPort("[" + text[:end] + "]" + text[end:])
		}
		if err != nil {
			return at, ErrMissing
		}
		at = with.Addr()
	}
	if at = at.Unmap().WithZone(""); nat64.Contains(at) {
		embedded := at.As16()
		at = netip.AddrFrom4([4]byte(embedded[12:]))
	}
	return at, nil
}

// nat64 is the network in which a translator shows all IPv4 clients (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")
