package keysource

import (
	"iter"
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
// false for another word.
func parseAddressPart(word string) (p part, found bool) {
	if word == "ip" {
		return part{read: readAddress}, true
	}
	name, length, sized := strings.Cut(word, "/")
	header, named := strings.CutPrefix(name, "ip-header:")
	bits, err := prefix, error(nil)
	if sized {
		bits, err = strconv.Atoi(length)
	}
	if name != "ip" && !named || err != nil || bits < 1 || bits > 128 {
		return part{}, false
	}
	if !named {
		header = "X-Forwarded-For"
	}
	return part{textproto.CanonicalMIMEHeaderKey(header), func(r *Request, header string) (string, error) {
		return r.network(header, bits)
	}}, true
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
		return r.behindProxies(fromRight(r.Header["X-Forwarded-For"]))
	case "Forwarded":
		hops, err := forwardedFor(r.Header[header])
		if err != nil {
			return netip.Addr{}, err
		}
		return r.behindProxies(func(yield func(string) bool) {
			for _, hop := range slices.Backward(hops) {
				if !yield(hop) {
					return
				}
			}
		})
	}
	text, err := only(r.Header[header])
	if err != nil {
		return netip.Addr{}, err
	}
	return parseAddress(text)
}

// behindProxies chooses the address of the client. hops are the addresses that proxies have written, the
// last one first. The client may have written the others. Behind n proxies the n-th address is that of the
// client. If the networks of the proxies are known, it is the first one outside of them.
func (r *Request) behindProxies(hops iter.Seq[string]) (at netip.Addr, err error) {
	if len(r.Networks) == 0 && r.Proxies > 0 {
		n := 0
		for hop := range hops {
			if n++; n == r.Proxies {
				return parseAddress(hop)
			}
		}
		return at, ErrMissing
	}
	at, err = parseAddress(r.RemoteAddr)
	for hop := range hops {
		isProxy := func(n netip.Prefix) bool { return n.Contains(at) }
		if err != nil || !slices.ContainsFunc(r.Networks, isProxy) {
			break
		}
		at, err = parseAddress(hop)
	}
	return at, err
}

// fromRight yields the elements of a list in headers from the right to the left. Empty elements do not count.
func fromRight(lists []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range slices.Backward(lists) {
			for at := len(list); at >= 0; list = list[:max(at, 0)] {
				at = strings.LastIndexByte(list, ',')
				if one := strings.TrimSpace(list[at+1:]); one != "" && !yield(one) {
					return
				}
			}
		}
	}
}

// forwardedFor returns the addresses of Forwarded headers (RFC 7239), "" for an element without an address.
func forwardedFor(lists []string) (hops []string, err error) {
	for _, list := range lists {
		elements, whole := splitUnquoted(list, ',')
		if !whole {
			return nil, ErrForwarded
		}
		for _, element := range elements {
			hop := ""
			pairs, _ := splitUnquoted(element, ';')
			for _, pair := range pairs {
				name, value, _ := strings.Cut(pair, "=")
				if strings.EqualFold(strings.TrimSpace(name), "for") {
					hop = strings.ReplaceAll(strings.Trim(strings.TrimSpace(value), `"`), `\`, "")
				}
			}
			if strings.TrimSpace(element) != "" {
				hops = append(hops, hop)
			}
		}
	}
	return hops, nil
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

// parseAddress parses an address with or without a port. An IPv4 address in the form of IPv6 is an IPv4
// address.
func parseAddress(text string) (netip.Addr, error) {
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			return at, ErrMissing
		}
		at = with.Addr()
	}
	return at.Unmap().WithZone(""), nil
}
