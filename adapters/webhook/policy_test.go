package webhook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/webhook"
	"stele/areyouai"
)

func TestCheck(t *testing.T) {
	closed := webhook.Options{}
	open := webhook.Options{AllowLoopback: true}
	listed := webhook.Options{LoopbackTargets: []string{"LocalHost:9000", "[::1]:9000", "hooks.test:443", "127.0.0.1:80"}}
	for name, c := range map[string]struct {
		options webhook.Options
		fine    []string
		refused []string
	}{
		"the Internet only": {
			closed,
			[]string{
				"https://example.com", "https://example.com:8443/a/b", "https://8.8.8.8/", "https://[2606:4700::1]:443/x",
				"https://localhost.example.com/", "https://hooks.test/",
			},
			[]string{
				"http://localhost:9000/", "http://127.0.0.1:9000/", "http://[::1]:9000/", "https://localhost/", "https://LOCALHOST:1/",
				"https://127.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://10.0.0.1/", "https://169.254.169.254/",
				"https://0.0.0.0/", "https://[::]/", "https://[fd00::1]/", "https://[fe80::1%25eth0]/", "https://[64:ff9b::a00:1]/",
				"https://[::ffff:10.0.0.1]/",
			},
		},
		"loopback too": {
			open,
			[]string{
				"http://localhost:9000/", "http://LOCALHOST/", "http://127.0.0.1/", "http://[::1]:9000/", "https://localhost/",
				"https://127.9.9.9/", "https://example.com/",
			},
			[]string{"https://10.0.0.1/", "https://0.0.0.0/", "https://169.254.169.254/", "http://10.0.0.1/", "https://[::]/"},
		},
		"listed targets": {
			listed,
			[]string{"http://localhost:9000/x", "https://LOCALHOST:9000", "http://[::1]:9000/", "http://127.0.0.1/", "https://hooks.test/"},
			[]string{"http://localhost:9001/", "http://localhost/", "http://127.0.0.1:9000/", "https://127.0.0.1/", "http://hooks.test:443/"},
		},
		"what the protocol refuses": {
			open,
			nil,
			[]string{
				"", "example.com", "ftp://example.com/", "http://example.com/", "http://localhost.example.com/", "https://u:p@example.com/",
				"https://example.com/?a", "https://example.com/?", "https://example.com/#f", "https://example.com/#", "https://:443/",
				"https://example.com:0/", "https://example.com:65536/", "https://example.com:x/", "https:example.com", "//example.com/",
				"https://exa mple.com/", "https://example.com/\r\nX: y",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSender(t, c.options)
			for _, u := range c.fine {
				require.NoError(t, s.Check(u), u)
			}
			for _, u := range c.refused {
				err := s.Check(u)
				require.ErrorIs(t, err, areyouai.CodeInvalidRequest, u)
				out := s.Send(t.Context(), to(u))
				require.Equal(t, areyouai.WebhookDead, out.Kind, u)
				require.ErrorIs(t, out.Err, webhook.ErrDelivery, u)
			}
		})
	}
}

func TestARefusalTellsTheOwnerWhy(t *testing.T) {
	s := newSender(t, webhook.Options{})
	for u, want := range map[string]string{
		"http://localhost:1/": "this machine", "https://10.0.0.1/": "not on the public Internet", "http://example.com/": "https",
	} {
		var wire *areyouai.Error
		require.ErrorAs(t, s.Check(u), &wire)
		require.Contains(t, wire.Hint, want)
	}
}

func TestALoopbackTargetIsHostAndPort(t *testing.T) {
	for _, target := range []string{"", "localhost", "localhost:", ":80", "localhost:http", "localhost:0", "localhost:65536", "::1:80", "http://localhost:80"} {
		_, err := webhook.NewSender(webhook.Options{LoopbackTargets: []string{"localhost:1", target}})
		var bad *webhook.TargetError
		require.ErrorAs(t, err, &bad, target)
		require.Equal(t, target, bad.Target)
		require.Contains(t, strings.ToLower(err.Error()), "host:port")
	}
}
