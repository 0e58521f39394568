package ratelimit

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// prefix is how many bits of an IPv6 address a key has by default. A client has all addresses of such a
// network.
const prefix = 64

// addressPart returns the reader of "ip", "ip/56", "ip-header:X-Real-Ip" and "ip-header:X-Real-Ip/56", nil
// for another word.
func addressPart(word string, trusted proxies) (reader, error) {
	name, length, sized := strings.Cut(word, "/")
	header, named := strings.CutPrefix(name, "ip-header:")
	bits, err := prefix, error(nil)
	if sized {
		bits, err = strconv.Atoi(length)
	}
	switch {
	case name != "ip" && !named, !named && strings.Trim(length, "0123456789") != "":
		return nil, nil
	case err != nil || bits < 1 || bits > 128:
		return nil, fmt.Errorf("ratelimit: %s: an IPv6 network has 1 to 128 bits", word)
	}
	if !named {
		header = "X-Forwarded-For"
	}
	header = http.CanonicalHeaderKey(header)
	return func(r *http.Request) string {
		at, found := trusted.client(r, header)
		if !found {
			return ""
		}
		return networkOf(at, bits)
	}, nil
}

// networkOf returns an address, or the network of an IPv6 address.
func networkOf(at netip.Addr, bits int) string {
	if at.Is4() {
		return at.String()
	}
	return netip.PrefixFrom(at, bits).Masked().String()
}

func (p proxies) client(r *http.Request, header string) (netip.Addr, bool) {
	switch header {
	case "X-Forwarded-For":
		var hops []string
		for hop := range strings.SplitSeq(strings.Join(r.Header[header], ","), ",") {
			if hop = strings.TrimSpace(hop); hop != "" {
				hops = append(hops, hop)
			}
		}
		return p.choose(r.RemoteAddr, hops)
	case "Forwarded":
		hops, whole := forwardedFor(r.Header[header])
		if !whole {
			return netip.Addr{}, false
		}
		return p.choose(r.RemoteAddr, hops)
	}
	return parseAddress(readHeader(r, header))
}

// choose chooses the address of the client. hops are what proxies have written, the last one at the end.
// Behind n proxies the n-th address from the end is that of the client. If the networks of the proxies are
// known, it is the last one outside of them.
func (p proxies) choose(remote string, hops []string) (at netip.Addr, found bool) {
	if p.networks == nil && p.count > 0 {
		if p.count > len(hops) {
			return at, false
		}
		return parseAddress(hops[len(hops)-p.count])
	}
	at, found = parseAddress(remote)
	for _, hop := range slices.Backward(hops) {
		if !found || !slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(at) }) {
			break
		}
		at, found = parseAddress(hop)
	}
	return at, found
}

// forwardedFor returns the addresses of Forwarded headers (RFC 7239), "" for an element without an address.
func forwardedFor(lists []string) (hops []string, whole bool) {
	for _, list := range lists {
		elements, whole := splitUnquoted(list, ',')
		if !whole {
			return nil, false
		}
		for _, element := range elements {
			hop := ""
			pairs, _ := splitUnquoted(element, ';')
			for _, pair := range pairs {
				name, value, _ := strings.Cut(pair, "=")
				if strings.EqualFold(strings.TrimSpace(name), "for") {
					hop = strings.ReplaceAll(strings.Trim(strings.TrimSpace(value), `"`), `\`, "")
					hop, _, _ = strings.Cut(hop, ":_") // the port may be a secret name
				}
			}
			if strings.TrimSpace(element) != "" {
				hops = append(hops, hop)
			}
		}
	}
	return hops, true
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
func parseAddress(text string) (netip.Addr, bool) {
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			end := max(strings.LastIndexByte(text, ':'), 0) // CloudFront writes no brackets
			with, err = netip.ParseAddrPort("[" + text[:end] + "]" + text[end:])
		}
		if err != nil {
			return at, false
		}
		at = with.Addr()
	}
	if at = at.Unmap().WithZone(""); nat64.Contains(at) {
		embedded := at.As16()
		at = netip.AddrFrom4([4]byte(embedded[12:]))
	}
	return at, true
}

// nat64 is the network in which a translator shows all IPv4 clients (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")
