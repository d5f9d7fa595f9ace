package transport

import (
	"net/http"
	"net/netip"
)

// ipv6Network is how many bits of an IPv6 address name its network. Whoever has one address in it has all, so that a limit
// per address would be none.
const ipv6Network = 64

// ClientNetwork is what limits per address take for a client's address: that of [ClientIP], or its network in IPv6.
func ClientNetwork(r *http.Request) string {
	text := ClientIP(r)
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Is4() {
		return text
	}
	network, err := ip.Prefix(ipv6Network)
	if err != nil {
		return text
	}
	return network.String()
}
