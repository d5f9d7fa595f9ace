package main

import (
	"net/netip"
	"strings"

	"github.com/spf13/pflag"
)

const flagProxies = "trusted-proxies"

// proxyConfig is what stele serve can be told about proxies before it.
type proxyConfig struct {
	texts []string
	// trusted is made by the check.
	trusted []netip.Prefix
}

func (c *proxyConfig) define(f *pflag.FlagSet) {
	f.StringSliceVar(&c.texts, flagProxies, nil,
		"addresses or networks of proxies before the gateway, with commas between them: limits per address then go by X-Forwarded-For")
}

// check reads the addresses.
func (c *proxyConfig) check(problem func(flag, format string, args ...any)) {
	for _, text := range c.texts {
		network, err := parseNetwork(strings.TrimSpace(text))
		if err != nil {
			problem(flagProxies, "must be addresses or networks such as 10.0.0.0/8, but has %q", text)
			continue
		}
		c.trusted = append(c.trusted, network)
	}
}

// mappedBits is how long the prefix is behind which IPv6 has the addresses of IPv4 (RFC 4291, section 2.5.5.2).
const mappedBits = 96

// parseNetwork reads a network, or an address as the network that has it alone. Networks of IPv4 addresses are of IPv4 however
// they are written, since that is what the gateway takes their clients for.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if network.Addr().Is4In6() && network.Bits() >= mappedBits {
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), nil
}
