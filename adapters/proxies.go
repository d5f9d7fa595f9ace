package adapters

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwardedFor is the header in which each proxy on the way of a request adds whom it got that from.
const forwardedFor = "X-Forwarded-For"

// behindProxies lets limits per address hold for clients and not for the proxies before the gateway: a request of a trusted
// proxy comes from the newest address in the header that is none of theirs. From anybody else the header says nothing, since
// everybody can send it (CWE-348).
func behindProxies(trusted []netip.Prefix, next http.Handler) http.Handler {
	if len(trusted) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !isTrusted(trusted, peer.Addr()) {
			next.ServeHTTP(w, r)
			return
		}
		told := *r
		told.RemoteAddr = netip.AddrPortFrom(clientOf(trusted, peer.Addr(), r.Header.Values(forwardedFor)), peer.Port()).String()
		next.ServeHTTP(w, &told)
	})
}

// clientOf is whom a trusted peer got a request from. What stands before something that is no address is not believed.
func clientOf(trusted []netip.Prefix, peer netip.Addr, headers []string) netip.Addr {
	client := peer
	for _, text := range slices.Backward(strings.Split(strings.Join(headers, ","), ",")) {
		addr, ok := parseForwarded(strings.TrimSpace(text))
		if !ok {
			break
		}
		if client = addr; !isTrusted(trusted, addr) {
			break
		}
	}
	return client
}

// parseForwarded reads an address, which some proxies write with its port.
func parseForwarded(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		port, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = port.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

func isTrusted(trusted []netip.Prefix, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr) })
}
