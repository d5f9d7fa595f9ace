package webhook_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/webhook"
	"stele/areyouai"
)

// world stands for the network: whatever passes the dialer's control function ends up at one server.
type world struct {
	tried, reached atomic.Int64
	// down are addresses at which nothing answers.
	down map[string]bool
}

func (w *world) sender(t *testing.T, server *httptest.Server, options webhook.Options) *webhook.Sender {
	t.Helper()
	s, err := webhook.NewSenderOver(options, func(ctx context.Context, d *net.Dialer, _, address string) (net.Conn, error) {
		w.tried.Add(1)
		if err := d.ControlContext(ctx, "tcp", address, nil); err != nil {
			return nil, err
		}
		w.reached.Add(1)
		if w.down[address] {
			return nil, errors.New("connection refused")
		}
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func trusting(server *httptest.Server, resolver webhook.Resolver) webhook.Options {
	return webhook.Options{
		RootCAs:  server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Resolver: resolver,
	}
}

// The attack that looking at the name when the endpoint is created, or at its addresses before connecting, does not stop.
func TestANameThatIsReboundReachesNothing(t *testing.T) {
	var hits atomic.Int64
	server := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusNoContent)
	})
	names := resolving([]string{"93.184.216.34"}, []string{"127.0.0.1"}, []string{"10.0.0.1"}, []string{"::ffff:169.254.169.254"},
		[]string{"64:ff9b::a00:1"}, []string{"fd00:ec2::254"})
	var w world
	s := w.sender(t, server, trusting(server, names))

	require.NoError(t, s.Check("https://example.com/hook"))
	out := s.Send(t.Context(), to("https://example.com/hook"))
	require.NoError(t, out.Err)
	require.Equal(t, areyouai.WebhookDelivered, out.Kind)
	for range 5 {
		out := s.Send(t.Context(), to("https://example.com/hook"))
		require.Equal(t, areyouai.WebhookRetry, out.Kind)
		require.ErrorIs(t, out.Err, webhook.ErrAddress)
		require.Zero(t, out.Status)
	}
	require.EqualValues(t, 1, hits.Load())
	require.EqualValues(t, 1, w.reached.Load())
	require.EqualValues(t, 6, w.tried.Load())
}

func TestEveryAddressOfAnAnswerIsJudged(t *testing.T) {
	server := serveTLS(t, noContent)
	names := resolving([]string{"93.184.216.34", "10.0.0.1", "2606:4700::1"})
	w := world{down: map[string]bool{"93.184.216.34:443": true}}
	out := w.sender(t, server, trusting(server, names)).Send(t.Context(), to("https://example.com/hook"))
	require.NoError(t, out.Err)
	require.Equal(t, areyouai.WebhookDelivered, out.Kind)
	require.EqualValues(t, 3, w.tried.Load())
	require.EqualValues(t, 2, w.reached.Load(), "10.0.0.1 was reached")
}

func TestALongAnswerIsNotScanned(t *testing.T) {
	server := serveTLS(t, noContent)
	var many []string
	w := world{down: map[string]bool{}}
	for _, last := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		many = append(many, "93.184.216."+last)
		w.down["93.184.216."+last+":443"] = true
	}
	out := w.sender(t, server, trusting(server, resolving(many))).Send(t.Context(), to("https://example.com/hook"))
	require.Equal(t, areyouai.WebhookRetry, out.Kind)
	require.EqualValues(t, webhook.MaxAddresses, w.tried.Load())
}

// With real sockets: the control function is where the kernel would connect.
func TestLoopbackIsReachedByPermissionOnly(t *testing.T) {
	server := serveTLS(t, noContent)
	port := portOf(t, server.URL)
	for name, c := range map[string]struct {
		host    string
		allow   bool
		targets []string
		address string
		want    areyouai.WebhookOutcome
	}{
		"a name that resolves to it":              {"example.com", false, nil, "127.0.0.1", areyouai.WebhookRetry},
		"the same, mapped":                        {"example.com", false, nil, "::ffff:127.0.0.1", areyouai.WebhookRetry},
		"the same, local receivers allowed":       {"example.com", true, nil, "127.0.0.1", areyouai.WebhookRetry},
		"the same, another port listed":           {"example.com", false, []string{"example.com:1"}, "127.0.0.1", areyouai.WebhookRetry},
		"the same, another host listed":           {"example.com", false, []string{"127.0.0.1:" + port}, "127.0.0.1", areyouai.WebhookRetry},
		"the same, listed":                        {"example.com", false, []string{"Example.com:" + port}, "127.0.0.1", areyouai.WebhookDelivered},
		"an address":                              {"127.0.0.1", false, nil, "", areyouai.WebhookDead},
		"an address, local receivers allowed":     {"127.0.0.1", true, nil, "", areyouai.WebhookDelivered},
		"an address, listed":                      {"127.0.0.1", false, []string{"127.0.0.1:" + port}, "", areyouai.WebhookDelivered},
		"a listed name at a private address":      {"example.com", true, []string{"example.com:" + port}, "10.0.0.1", areyouai.WebhookRetry},
		"a listed name at the unspecified one":    {"example.com", true, []string{"example.com:" + port}, "0.0.0.0", areyouai.WebhookRetry},
		"a listed name at a metadata service":     {"example.com", true, []string{"example.com:" + port}, "169.254.169.254", areyouai.WebhookRetry},
		"a listed name behind a loopback's NAT64": {"example.com", true, []string{"example.com:" + port}, "64:ff9b::7f00:1", areyouai.WebhookRetry},
	} {
		t.Run(name, func(t *testing.T) {
			options := trusting(server, resolving([]string{c.address}))
			options.AllowLoopback, options.LoopbackTargets = c.allow, c.targets
			out := newSender(t, options).Send(t.Context(), to("https://"+net.JoinHostPort(c.host, port)+"/hook"))
			require.Equal(t, c.want, out.Kind, "%v", out.Err)
			if c.want == areyouai.WebhookRetry {
				require.ErrorIs(t, out.Err, webhook.ErrAddress)
			}
		})
	}
}

func TestARefusedAddressSeesNoPacket(t *testing.T) {
	var accepted atomic.Int64
	address := listen(t, func(net.Conn) { accepted.Add(1) })
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	s := newSender(t, webhook.Options{Resolver: resolving([]string{"127.0.0.1"}), AllowLoopback: true})
	require.ErrorIs(t, s.Send(t.Context(), to("https://example.com:"+port+"/")).Err, webhook.ErrAddress)

	// One connection that is allowed: when it has been served, a forbidden one before it would have been, too.
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NoError(t, conn.Close())
	require.EqualValues(t, 1, accepted.Load())
}

// Plain http is for this machine. A resolver that sends localhost elsewhere would have the payload travel in clear.
func TestPlainHTTPNeverLeavesTheMachine(t *testing.T) {
	server := serve(t, noContent)
	port := portOf(t, server.URL)
	for address, want := range map[string]areyouai.WebhookOutcome{
		"127.0.0.1": areyouai.WebhookDelivered, "::1": areyouai.WebhookDelivered,
		"93.184.216.34": areyouai.WebhookRetry, "10.0.0.1": areyouai.WebhookRetry, "2606:4700::1": areyouai.WebhookRetry,
	} {
		var w world
		s := w.sender(t, server, webhook.Options{AllowLoopback: true, Resolver: resolving([]string{address})})
		out := s.Send(t.Context(), to("http://localhost:"+port+"/"))
		require.Equal(t, want, out.Kind, address)
		if want == areyouai.WebhookRetry {
			require.ErrorIs(t, out.Err, webhook.ErrAddress, address)
			require.Zero(t, w.reached.Load())
		}
	}
}

type failing struct{ err error }

func (f failing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, f.err
}

func TestANameWithoutAddressIsTriedAgain(t *testing.T) {
	for name, r := range map[string]webhook.Resolver{
		"error":   failing{&net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true}},
		"nothing": resolving(nil),
	} {
		t.Run(name, func(t *testing.T) {
			out := newSender(t, webhook.Options{Resolver: r}).Send(t.Context(), to("https://example.com/hook/secret-path"))
			require.Equal(t, areyouai.WebhookRetry, out.Kind)
			var dns *net.DNSError
			require.ErrorAs(t, out.Err, &dns)
			require.NotContains(t, out.Err.Error(), "secret-path")
		})
	}
}
