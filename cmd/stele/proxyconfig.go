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
		if addr, err := netip.ParseAddr(text); err == nil {
			c.trusted = append(c.trusted, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			problem(flagProxies, "must be addresses or networks such as 10.0.0.0/8, but has %q", text)
			continue
		}
		c.trusted = append(c.trusted, network.Masked())
	}
}
