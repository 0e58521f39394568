package value

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
)

// Proxies says which proxies are before the server: their number, or their networks.
type Proxies struct {
	Count    int
	Networks []netip.Prefix // if there are any, Count is 0
}

const (
	maxProxies  = 16
	maxNetworks = 64
)

// TrustedProxies accepts a number of proxies, or a list of networks. An address is a network of one.
var TrustedProxies = Kind[Proxies]{
	Values: "integer 0…16, or up to 64 networks", Many: true,
	Parse: func(args []string) (p Proxies, err error) {
		if len(args) == 1 {
			if n, err := strconv.Atoi(args[0]); err == nil && n >= 0 && n <= maxProxies {
				return Proxies{Count: n}, nil
			}
		}
		if len(args) > maxNetworks {
			return p, fmt.Errorf("there are more than %d networks", maxNetworks)
		}
		for _, arg := range args {
			network, err := parseNetwork(arg)
			if err != nil {
				return p, err
			}
			p.Networks = append(p.Networks, network)
		}
		if p.Networks == nil {
			return p, errNetwork("")
		}
		return p, nil
	},
	Format: func(p Proxies) string {
		if p.Networks == nil {
			return strconv.Itoa(p.Count)
		}
		return Join(p.Networks, netip.Prefix.String)
	},
}

func parseNetwork(text string) (netip.Prefix, error) {
	if at, err := netip.ParseAddr(text); err == nil {
		at = at.Unmap().WithZone("")
		return netip.PrefixFrom(at, at.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	switch {
	case err != nil || network.Addr().Is4In6():
		return network, errNetwork(text)
	case network.Bits() == 0:
		return network, errors.New(
			text + " is every address, so a client could choose its own: name the networks of the proxies")
	}
	return network.Masked(), nil
}

func errNetwork(text string) error {
	return fmt.Errorf("argument must be a number from 0 to 16, or networks like 10.0.0.0/8, and not %q", text)
}
