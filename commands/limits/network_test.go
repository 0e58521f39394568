package limits

import (
	"fmt"
	"testing"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestOverrideOfANetwork: a network is the key of an override for all addresses in it. Each address counts for itself. The
// smallest network decides, and a key with limits of its own goes before all networks.
func TestOverrideOfANetwork(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.WINDOW 5 60")
	for key, limits := range map[string]string{
		"10.0.0.0/8": "BLOCK", "10.1.0.0/16": "CL.WINDOW 90 60", "10.1.2.3": "CL.WINDOW 7 60", "2001:db8::/32": "CL.WINDOW 80 60", "::/0": "CL.WINDOW 3 60",
	} {
		h.Want("CL.RULE OVERRIDE api - "+key+" "+limits, ok)
	}
	limitOf := func(key string) any { return h.Do("CL.CHECK", "api", key).([]any)[1] }
	for key, limit := range map[string]int64{
		"10.2.0.1": 0, "10.0.0.0/8": 0, "10.1.0.1": 90, "10.1.255.255": 90, "10.1.2.0/24": 90, "10.1.2.3": 7, "::ffff:10.1.9.9": 90, "11.0.0.1": 5,
		"2001:db8:1:2::/64": 80, "2001:DB8::1": 80, "2001:db9::1": 3, "user:1": 5, "10.1.0.1,/login": 5, "10.1.0.1:443": 5,
	} {
		require.Equal(t, limit, limitOf(key), key)
	}
	h.Want("CL.CHECK api 10.1.7.7 50", []any{0, 90, 40, -1, 60})
	h.Want("CL.CHECK api 10.1.7.8", []any{0, 90, 89, -1, 60})
	h.Want("GET api:{10.1.7.7}:window", "50")
	require.Contains(t, fmt.Sprint(h.Do("CL.EXPLAIN api 10.1.7.7")), "source override")
	h.Want("CL.RULE RESET api 10.1.7.7", 1)
	h.Want("CL.RULE OVERRIDE api - 10.1.0.0/16 DEL", 1)
	require.Equal(t, int64(0), limitOf("10.1.0.1"))
	h.Want("CL.RULE OVERRIDE api - 10.0.0.0/8 DEL", 1)
	require.Equal(t, int64(5), limitOf("10.1.0.1"))
	h.Want("CL.RULE OVERRIDE api - 10.0.0.0/8 DEL", 0)
	h.Do("CL.RULE SET api CL.WINDOW 6 60")
	require.Equal(t, int64(80), limitOf("2001:db8::77"), "the override stays")
	require.Contains(t, h.Do("CL.RULE", "GET", "api", "JSON"), `"2001:db8::/32":["CL.WINDOW 80 60"]`)
}

// TestOverrideOfAWrongNetwork: a key that would never match an address is refused with what to write.
func TestOverrideOfAWrongNetwork(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.WINDOW 5 60")
	for key, want := range map[string]string{
		"10.1.2.3/8": "write 10.0.0.0/8", "2001:DB8::/32": "write 2001:db8::/32", "2001:db8:0::/32": "write 2001:db8::/32", "::ffff:10.0.0.0/104": "write 10.0.0.0/8",
		"10.0.0.0/33": "is no network", "10.0.0.0/255.0.0.0": "is no network", "10.0.0.0/": "is no network", "::/129": "is no network", "10.0.0.0/08": "is no network",
	} {
		require.Contains(t, fmt.Sprint(h.Do("CL.RULE", "OVERRIDE", "api", "-", key, "BLOCK")), want, key)
		require.ErrorContains(t, h.Server.UseRules("r.yaml", []byte("rules: {f: {limits: CL.WINDOW 1 1, overrides: {\""+key+"\": BLOCK}}}")), want, key)
	}
	h.Want("CL.RULE GET api JSON", `{"limits":["CL.WINDOW 5 60"]}`)
	require.NoError(t, h.Server.UseRules("r.yaml", []byte("rules: {f: {limits: CL.WINDOW 5 60, overrides: {192.0.2.0/24: BLOCK, a/b: ALLOW}}}")))
	h.Want("CL.CHECK f 192.0.2.9", []any{1, 0, 0, -1, 0})
}

// TestNetworkRaise: who is locked out passes at once if the network gets more.
func TestNetworkRaise(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET api CL.THROTTLE 9 10 3600")
	h.Do("CL.CHECK api 10.1.2.3 10")
	h.Want("CL.CHECK api 10.1.2.3", []any{1, 10, 0, 360, 3600})
	h.Do("CL.RULE OVERRIDE api - 10.0.0.0/8 CL.THROTTLE 99 100 60")
	h.Want("CL.CHECK api 10.1.2.3", []any{0, 100, 89, -1, 7})
	h.Do("CL.RULE OVERRIDE api - 10.0.0.0/8 DEL")
	h.Want("CL.CHECK api 10.1.2.3 0", []any{0, 10, 0, -1, 3600})
}
