package keysource

import (
	"net/netip"
	"strings"
)

// readAddress returns the address of the client. Behind n proxies it is the n-th address of X-Forwarded-For from the right.
// The client may have written the addresses before it. An IPv6 address counts as its network of 64 bits,
// because a client has all addresses of such a network.
func readAddress(r *Request, _ string) (string, error) {
	text := r.RemoteAddr
	if r.Proxies > 0 {
		var err error
		if text, err = nthFromRight(r.Header["X-Forwarded-For"], r.Proxies); err != nil {
			return "", err
		}
	}
	at, err := parseAddress(text)
	if err != nil {
		return "", ErrMissing
	}
	if at = at.Unmap().WithZone(""); at.Is4() {
		return at.String(), nil
	}
	network, err := at.Prefix(64)
	if err != nil {
		return "", ErrMissing
	}
	return network.String(), nil
}

// nthFromRight returns the n-th address of the lists, counted from the right, from 1.
func nthFromRight(lists []string, n int) (string, error) {
	for i := len(lists) - 1; i >= 0; i-- {
		for rest := lists[i]; ; n-- {
			at := strings.LastIndexByte(rest, ',')
			if n == 1 {
				return strings.TrimSpace(rest[at+1:]), nil
			}
			if at < 0 {
				n--
				break
			}
			rest = rest[:at]
		}
	}
	return "", ErrMissing
}

// parseAddress parses an address with or without a port.
func parseAddress(text string) (netip.Addr, error) {
	if at, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return at, nil
	}
	at, err := netip.ParseAddrPort(text)
	return at.Addr(), err
}
