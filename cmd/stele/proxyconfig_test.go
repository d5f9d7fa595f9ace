package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNetworksOfProxies: what is accepted is also what requests are compared with.
func TestNetworksOfProxies(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.1":            "10.0.0.1/32",
		" 10.0.0.1":           "10.0.0.1/32",
		"::ffff:10.0.0.1":     "10.0.0.1/32",
		"10.1.2.3/8":          "10.0.0.0/8",
		" 10.0.0.0/8 ":        "10.0.0.0/8",
		"::ffff:10.0.0.0/104": "10.0.0.0/8",
		"fd00::1":             "fd00::1/128",
		"fd00::/8":            "fd00::/8",
		"::/0":                "::/0",
	} {
		c := proxyConfig{texts: []string{text}}
		c.check(func(flag, format string, args ...any) { t.Errorf("%q: "+format, append([]any{text}, args...)...) })
		require.Equal(t, []netip.Prefix{netip.MustParsePrefix(want)}, c.trusted, text)
	}
}
