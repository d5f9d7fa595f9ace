package webhook

import (
	"context"
	"net"
	"net/netip"
)

const MaxAddresses = maxAddresses

// NewSenderOver returns a Sender whose connections are opened by c, which stands where the network would be: below
// resolution and with the dialer, whose control function it must call as the real one does.
func NewSenderOver(options Options, c func(context.Context, *net.Dialer, string, string) (net.Conn, error)) (*Sender, error) {
	options = options.withDefaults()
	p, err := newPolicy(options)
	if err != nil {
		return nil, err
	}
	return newSender(options, p, c), nil
}

// Class names what an address is.
func Class(addr netip.Addr) string {
	return map[class]string{forbidden: "forbidden", loopback: "loopback", public: "public"}[classify(addr)]
}
