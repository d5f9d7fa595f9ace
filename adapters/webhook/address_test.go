package webhook_test

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/adapters/webhook"
)

func TestWhatAnAddressIs(t *testing.T) {
	for want, addrs := range map[string][]string{
		"public": {
			"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
			"168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
			"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
			"2001:200::1", "2606:4700:4700::1111", "2a00:1450:4001:82a::200e", "3ffe::1",
			"::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
		},
		"loopback": {"127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"},
		"forbidden": {
			"0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0",
			"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
			"100.64.0.0", "100.100.100.200", "100.127.255.255",
			"169.254.0.0", "169.254.169.254", "169.254.255.255", "168.63.129.16", "192.0.0.192", "fd00:ec2::254",
			"192.0.2.1", "198.51.100.7", "203.0.113.255", "198.18.0.0", "198.19.255.255", "192.88.99.1",
			"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
			"fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "fe80::1%eth0", "::1%lo", "2606:4700::1%1",
			"2001::1", "2001:2::1", "2001:10::1", "2001:1ff::1", "2001:db8::1", "3fff::1", "3fff:fff::1",
			"100::1", "5f00::1", "4000::1", "1fff::1",
			"::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:224.0.0.1", "::ffff:100.64.0.1",
			"64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::0.0.0.0", "64:ff9b::192.0.2.1",
			"64:ff9b:1::8.8.8.8", "64:ff9b:0:1::8.8.8.8",
			"2002:0a00:0001::1", "2002:7f00:0001::1", "2002:a9fe:a9fe::1", "2002:0808:0808::1",
			"::127.0.0.1", "::10.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
		},
	} {
		for _, a := range addrs {
			require.Equal(t, want, webhook.Class(netip.MustParseAddr(a)), a)
		}
	}
	require.Equal(t, "forbidden", webhook.Class(netip.Addr{}))
}

// An IPv4 address in an IPv6 form must never be more than it is by itself.
func TestNoDressMakesAnAddressPublic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The interesting nets are small, so most draws begin inside one.
		near := rapid.SampledFrom([]string{
			"10.0.0.0", "127.0.0.0", "169.254.169.0", "172.16.0.0", "192.168.0.0", "100.64.0.0", "224.0.0.0", "0.0.0.0",
			"192.0.2.0", "198.18.0.0", "8.8.8.0",
		}).Draw(t, "near")
		b := netip.MustParseAddr(near).As4()
		binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+rapid.Uint32Range(0, 1<<17).Draw(t, "offset"))
		v4 := netip.AddrFrom4(b)

		mapped := netip.AddrFrom16(v4.As16())
		require.Equal(t, webhook.Class(v4), webhook.Class(mapped), "%s", mapped)

		nat64 := netip.MustParseAddr("64:ff9b::").As16()
		copy(nat64[12:], b[:])
		if webhook.Class(v4) == "public" {
			require.Equal(t, "public", webhook.Class(netip.AddrFrom16(nat64)))
		} else {
			require.Equal(t, "forbidden", webhook.Class(netip.AddrFrom16(nat64)), "%s", netip.AddrFrom16(nat64))
		}

		sixToFour := netip.MustParseAddr("2002::1").As16()
		copy(sixToFour[2:], b[:])
		require.Equal(t, "forbidden", webhook.Class(netip.AddrFrom16(sixToFour)))
	})
}
