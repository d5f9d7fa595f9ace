package webhook

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"stele/areyouai"
)

// policy says which addresses a URL may lead to.
type policy struct {
	allowLoopback bool
	// targets are lower-case host:port.
	targets map[string]bool
}

func newPolicy(o Options) (policy, error) {
	p := policy{allowLoopback: o.AllowLoopback, targets: make(map[string]bool, len(o.LoopbackTargets))}
	for _, target := range o.LoopbackTargets {
		host, port, err := net.SplitHostPort(target)
		n, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || host == "" || portErr != nil || n == 0 {
			return policy{}, &TargetError{Target: target}
		}
		p.targets[targetKey(host, port)] = true
	}
	return p, nil
}

func targetKey(host, port string) string { return net.JoinHostPort(strings.ToLower(host), port) }

// loopback tells whether the URL with this host and port may lead to a loopback address. AllowLoopback is about URLs that
// say of themselves that they are local: a name that only resolves to loopback is an attack, or the operator has listed it.
func (p policy) loopback(host, port string) bool {
	return p.targets[targetKey(host, port)] || p.allowLoopback && isLocal(host)
}

// judge returns nil or an error that wraps ErrAddress. plain means http, which goes to loopback only: there it needs no
// encryption.
func (p policy) judge(host, port string, addr netip.Addr, plain bool) error {
	switch c := classify(addr); {
	case c == loopback && p.loopback(host, port), c == public && !plain:
		return nil
	default:
		return fmt.Errorf("%w: %s", ErrAddress, addr)
	}
}

const (
	hintLoopback = "Field url leads to this machine, which this server does not deliver to."
	hintAddress  = "Field url leads to an address that is not on the public Internet."
)

// Check returns nil when a delivery to this URL would be tried, or an [*areyouai.Error] that tells the endpoint's owner
// what is wrong: the URL is not one that the protocol allows, or it spells out an address that is not reached from here.
// What a name resolves to is not asked; it may change.
func (s *Sender) Check(rawURL string) error {
	_, err := s.policy.check(rawURL)
	return err
}

func (p policy) check(rawURL string) (*url.URL, error) {
	if err := areyouai.CheckWebhookURL(rawURL); err != nil {
		return nil, err
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, areyouai.InvalidRequest(areyouai.HintWebhookURL)
	}
	host, port := u.Hostname(), portOf(u)
	if addr, err := netip.ParseAddr(host); err == nil && classify(addr) == forbidden {
		return nil, areyouai.InvalidRequest(hintAddress)
	}
	if isLocal(host) && !p.loopback(host, port) {
		return nil, areyouai.InvalidRequest(hintLoopback)
	}
	return u, nil
}

// isLocal tells whether a URL's host says of itself that it is this machine.
func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && classify(addr) == loopback || strings.EqualFold(host, "localhost")
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "http":
		return "80"
	default:
		return "443"
	}
}
