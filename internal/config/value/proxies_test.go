package value

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrustedProxies(t *testing.T) {
	for text, shown := range map[string]string{
		"0": "0", "16": "16", "10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8 2001:DB8::/32": "10.0.0.0/8 2001:db8::/32",
		"10.0.0.1 ::1": "10.0.0.1/32 ::1/128", "::ffff:10.0.0.1": "10.0.0.1/32",
	} {
		p, err := TrustedProxies.Parse(strings.Fields(text))
		require.NoError(t, err, text)
		require.Equal(t, shown, TrustedProxies.Format(p))
	}
	for text, want := range map[string]string{
		"17":              `a number from 0 to 16, or networks like 10.0.0.0/8, and not "17"`,
		"-1":              `and not "-1"`,
		"":                `and not ""`,
		"10.0.0.0/33":     `and not "10.0.0.0/33"`,
		"1 10.0.0.0/8":    `and not "1"`,
		"proxy.lan":       `and not "proxy.lan"`,
		"0.0.0.0/0":       "0.0.0.0/0 is every address, so a client could choose its own: name the networks of the proxies",
		"10.0.0.0/8 ::/0": "::/0 is every address",
	} {
		_, err := TrustedProxies.Parse(strings.Fields(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err := TrustedProxies.Parse(strings.Fields(strings.Repeat("10.0.0.0/8 ", 65)))
	require.EqualError(t, err, "there are more than 64 networks")
}
