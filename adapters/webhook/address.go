package webhook

import "net/netip"

// class is what an address is to a request that leaves from here.
type class uint8

const (
	// forbidden is the zero value: what is not known to be harmless is not reached.
	forbidden class = iota
	loopback
	public
)

// classify judges an address after taking it out of every IPv6 form in which a host's or a network's translation would
// still deliver it to an IPv4 address.
func classify(addr netip.Addr) class {
	// A zone belongs to link-local addresses only and hides what follows from Contains.
	if addr.Zone() != "" {
		return forbidden
	}
	addr = addr.Unmap()
	switch {
	case addr.IsLoopback():
		return loopback
	case addr.Is4():
		return classifyIPv4(addr)
	case wellKnownNAT64.Contains(addr):
		// A network without IPv4 reaches the whole IPv4 Internet this way (RFC 6052), so its public part must go on
		// working. The translator, not this host, would be the one on whose loopback 127.0.0.1 lies.
		b := addr.As16()
		if classify(netip.AddrFrom4([4]byte(b[12:]))) == public {
			return public
		}
		return forbidden
	case globalUnicast.Contains(addr) && !inAny(addr, reservedIPv6[:]):
		return public
	default:
		return forbidden
	}
}

func classifyIPv4(addr netip.Addr) class {
	if !addr.IsValid() || inAny(addr, reservedIPv4[:]) {
		return forbidden
	}
	return public
}

func inAny(addr netip.Addr, ranges []netip.Prefix) bool {
	for _, r := range ranges {
		if r.Contains(addr) {
			return true
		}
	}
	return false
}

var (
	// globalUnicast is all of IPv6 that is handed out to networks (RFC 4291, section 2.4; IANA's IPv6 address space). What
	// lies outside is private (fc00::/7), link-local, multicast, unspecified, mapped, translated (64:ff9b:1::/48) or free.
	globalUnicast  = netip.MustParsePrefix("2000::/3")
	wellKnownNAT64 = netip.MustParsePrefix("64:ff9b::/96")

	// reservedIPv6 are the ranges of globalUnicast that are no destinations (IANA IPv6 special-purpose registry).
	reservedIPv6 = [...]netip.Prefix{
		netip.MustParsePrefix("2001::/23"),     // protocol assignments: Teredo, benchmark, ORCHID
		netip.MustParsePrefix("2001:db8::/32"), // documentation
		netip.MustParsePrefix("2002::/16"),     // 6to4: an IPv4 address inside, and nobody's network since RFC 7526
		netip.MustParsePrefix("3fff::/20"),     // documentation (RFC 9637)
	}

	// reservedIPv4 are the ranges that are no destinations on the Internet (IANA IPv4 special-purpose registry).
	reservedIPv4 = [...]netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),        // this network; Linux takes 0.0.0.0 for loopback
		netip.MustParsePrefix("10.0.0.0/8"),       // private (RFC 1918)
		netip.MustParsePrefix("100.64.0.0/10"),    // shared behind carriers (RFC 6598); a cloud's metadata service
		netip.MustParsePrefix("127.0.0.0/8"),      // loopback, judged before
		netip.MustParsePrefix("168.63.129.16/32"), // a cloud's metadata service, on what looks like a public address
		netip.MustParsePrefix("169.254.0.0/16"),   // link-local; most clouds' metadata services
		netip.MustParsePrefix("172.16.0.0/12"),    // private
		netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments; a cloud's metadata service
		netip.MustParsePrefix("192.0.2.0/24"),     // documentation
		netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays (RFC 7526)
		netip.MustParsePrefix("192.168.0.0/16"),   // private
		netip.MustParsePrefix("198.18.0.0/15"),    // benchmark
		netip.MustParsePrefix("198.51.100.0/24"),  // documentation
		netip.MustParsePrefix("203.0.113.0/24"),   // documentation
		netip.MustParsePrefix("224.0.0.0/4"),      // multicast
		netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	}
)
