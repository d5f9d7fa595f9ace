package areyouaifront

import (
	"net/http"
	"net/netip"

	"stele/adapters/transport"
)

// ipv6Network is how many bits of an IPv6 address name its network. Whoever has one address in it has all, so that a limit
// per address would be none.
const ipv6Network = 64

// addressOf is what the limits per address take for the client's address: the TCP peer's, or its network in IPv6.
func addressOf(r *http.Request) string {
	text := transport.ClientIP(r)
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(ipv6Network)
	if err != nil {
		return text
	}
	return network.String()
}
