package ruleset

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestNetworks compares which override decides for an address with a search through all of them.
func TestNetworks(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	address := func() netip.Addr { // few bits vary, so that networks lie in each other
		b := [16]byte{0x20, 1, 0xd, 0xb8}
		for i := range 3 {
			b[4+5*i] = byte(rng.IntN(4)) << (2 * rng.IntN(4))
		}
		if rng.IntN(2) == 0 {
			return netip.AddrFrom4([4]byte(b[3:7]))
		}
		return netip.AddrFrom16(b)
	}
	var all *overrides
	set := map[string]*override{}
	for range 1000 {
		at := address()
		network, err := at.Prefix(rng.IntN(at.BitLen() + 1))
		require.NoError(t, err)
		key := network.String()
		if rng.IntN(4) == 0 {
			key = at.String()
		}
		if one := (&override{text: key}); rng.IntN(3) == 0 && set[key] != nil {
			delete(set, key)
			all = all.with(key, nil)
		} else {
			set[key] = one
			all = all.with(key, one)
		}
		asked := address()
		want, longest := set[asked.String()], -1
		for key, one := range set {
			if network, err := netip.ParsePrefix(key); want == nil || longest >= 0 {
				if err == nil && network.Contains(asked) && network.Bits() > longest {
					want, longest = one, network.Bits()
				}
			}
		}
		require.Same(t, want, all.decides([]byte(asked.String())), "%s", asked)
		if asked.Is4() && set[asked.String()] == nil {
			require.Same(t, want, all.decides([]byte("::ffff:"+asked.String())), "%s", asked)
		}
		require.Equal(t, len(set), all.len())
	}
	for key := range set {
		all = all.with(key, nil)
	}
	require.Equal(t, networkCounts{}, all.networks)
}

// TestKeysThatAreNoNetworks: other keys decide for themselves alone.
func TestKeysThatAreNoNetworks(t *testing.T) {
	var all *overrides
	for i, key := range []string{"10.0.0.0/8", "2001:db8::/32", "0.0.0.0/33", "10.1.2.3/8", "a/8", "10.0.0/8"} {
		all = all.with(key, &override{text: fmt.Sprint(i)})
	}
	require.Equal(t, 2, all.networks.count)
	for key, want := range map[string]string{
		"10.1.2.3": "0", "10.0.0.0/8": "0", "10.9.0.0/16": "0", "::ffff:10.0.0.1": "0", "2001:db8:1::/48": "1", "2001:DB8::5": "1",
		"2001:db8::5%eth0": "1", "10.1.2.3/8": "3", "a/8": "4", "10.0.0/8": "5", "0.0.0.0/33": "2", "::ffff:10.0.0.0/104": "0",
		"11.0.0.1": "", "10.0.0.0/7": "", "2001:db9::": "", "10.1.2.3,/login": "", "10.1.2.3:80": "", "": "", "abc": "", "a/9": "", "::ffff:10.0.0.0/95": "",
	} {
		got := ""
		if one := all.decides([]byte(key)); one != nil {
			got = one.text
		}
		require.Equal(t, want, got, key)
	}
}

// BenchmarkNetworks measures what networks cost a key that is an address, and one that is none.
func BenchmarkNetworks(b *testing.B) {
	for _, lengths := range []int{0, 3, 32} {
		var all *overrides
		for i := range lengths {
			network, _ := netip.AddrFrom4([4]byte{11, 0, 0, 0}).Prefix(i + 1)
			all = all.with(network.String(), &override{})
		}
		for _, key := range []string{"192.0.2.77", "user:1"} {
			b.Run(fmt.Sprintf("%d/%s", lengths, key), func(b *testing.B) {
				for b.Loop() {
					all.decides([]byte(key))
				}
			})
		}
	}
}
