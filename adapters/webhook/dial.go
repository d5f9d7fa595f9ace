package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

const (
	// maxAddresses is how many addresses of a name one attempt tries: enough for one broken family or machine, too few to
	// have this host scan a network by a long DNS answer.
	maxAddresses = 3
	// addressTimeout leaves room for all of them within an attempt.
	addressTimeout = 3 * time.Second
)

// Resolver finds the addresses of a name. [net.Resolver] is one.
type Resolver interface {
	// LookupNetIP returns the addresses of host; network is "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// connect opens a connection to an IP address and port, with the options of d.
type connect func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)

func connectTCP(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	return d.DialContext(ctx, network, address)
}

// dialer connects to what a policy allows.
type dialer struct {
	policy   policy
	resolver Resolver
	// plain means http.
	plain   bool
	timeout time.Duration
	connect connect
}

// dial has the form of [http.Transport.DialContext]: address is the host and port of the URL, so what it permits is known
// here and can be held against the addresses that the host turns out to have.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	// The transport takes the deadline out of the context, to give the connection to a later request if this one is gone.
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	control := func(_ context.Context, _, socket string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(socket)
		if err != nil {
			return fmt.Errorf("%w: %q", ErrAddress, socket)
		}
		return d.policy.judge(host, port, to.Addr(), d.plain)
	}
	var failures []error
	for _, addr := range addrs {
		one := &net.Dialer{Timeout: addressTimeout, ControlContext: control}
		conn, err := d.connect(ctx, one, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// resolve returns one to maxAddresses addresses.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	addrs = addrs[:min(len(addrs), maxAddresses)]
	unmapped := make([]netip.Addr, len(addrs))
	for i, addr := range addrs {
		unmapped[i] = addr.Unmap()
	}
	return unmapped, nil
}
