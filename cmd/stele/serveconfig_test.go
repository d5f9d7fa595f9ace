package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
)

func TestCheckNamesWhatIsWrong(t *testing.T) {
	never := func(string) bool { return false }
	good := serveConfig{
		listen: "127.0.0.1:0", data: "data", logLevel: "info", limits: areyouaifront.DefaultLimits(),
		maxAttachment: 1, retainEvents: 1, retainAge: time.Second,
		areyouai: areyouaiConfig{policy: contentPolicy{within: time.Second, block: time.Second}, sizes: defaultSizesConfig()},
		purge:    purgeConfig{grace: time.Second},
		timeouts: defaultTimeouts(),
	}
	require.NoError(t, good.check(never))
	for _, tc := range []struct {
		name   string
		change func(*serveConfig)
		given  bool
		want   string // empty: nothing is wrong
	}{
		{"any address", func(c *serveConfig) { c.listen = ":8080" }, false, ""},
		{"IPv6", func(c *serveConfig) { c.listen = "[::1]:0" }, false, ""},
		{"blank address", func(c *serveConfig) { c.listen = " " }, false, "--listen must not be empty"},
		{"no port", func(c *serveConfig) { c.listen = "localhost" }, false, "--listen must be host:port"},
		{"no folder", func(c *serveConfig) { c.data = "" }, false, "--data must not be empty"},
		{"token", func(c *serveConfig) { c.token = "let me in" }, true, ""},
		{"empty token", func(*serveConfig) {}, true, "--registration-token must not be empty"},
		{"newline after token", func(c *serveConfig) { c.token = "t\n" }, true, "--registration-token must not begin or end"},
		{"nothing but space", func(c *serveConfig) { c.token = "\t" }, true, "--registration-token must not begin or end"},
		{"URL", func(c *serveConfig) { c.publicURL = "https://h.example:8443/base" }, false, ""},
		{"relative URL", func(c *serveConfig) { c.publicURL = "/base" }, false, "--public-url must be"},
		{"no scheme", func(c *serveConfig) { c.publicURL = "h.example" }, false, "--public-url must be"},
		{"no host", func(c *serveConfig) { c.publicURL = "http://:80/" }, false, "--public-url must be"},
		{"other scheme", func(c *serveConfig) { c.publicURL = "ws://h" }, false, "--public-url must be"},
		{"opaque", func(c *serveConfig) { c.publicURL = "http:h" }, false, "--public-url must be"},
		{"query", func(c *serveConfig) { c.publicURL = "http://h/?" }, false, "--public-url must be"},
		{"fragment", func(c *serveConfig) { c.publicURL = "http://h/#" }, false, "--public-url must be"},
		{"user", func(c *serveConfig) { c.publicURL = "http://u@h/" }, false, "--public-url must be"},
		{"no URL at all", func(c *serveConfig) { c.publicURL = "http://h\x7f" }, false, "--public-url must be"},
		{"URL with a quote", func(c *serveConfig) { c.publicURL = "http://h/'x" }, false, "--public-url must be"},
		{"proxies", func(c *serveConfig) { c.proxies.texts = []string{"127.0.0.1", "10.0.0.0/8", "fd00::/8"} }, false, ""},
		{"a proxy by name", func(c *serveConfig) { c.proxies.texts = []string{"127.0.0.1", "proxy.example"} }, false, "--trusted-proxies must be"},
		{"admin token", func(c *serveConfig) { c.areyouai.adminToken = "let-me-in" }, false, ""},
		{"admin token of two words", func(c *serveConfig) { c.areyouai.adminToken = "let me" }, false, "--areyouai-admin-token must be visible"},
		{"no layers there", func(c *serveConfig) { c.areyouai.layersDir = "testdata/script" }, false, "--prompt-layers cannot be used"},
		{"origin", func(c *serveConfig) { c.areyouai.origins = []string{"https://h:8443", "http://[::1]:3000"} }, false, ""},
		{"no origins", func(c *serveConfig) { c.areyouai.origins = []string{"none"} }, false, ""},
		{"none and one", func(c *serveConfig) { c.areyouai.origins = []string{"none", "https://h"} }, false, "--areyouai-origins must be"},
		{"origin with a path", func(c *serveConfig) { c.areyouai.origins = []string{"https://h/"} }, false, "more than scheme"},
		{"any origin", func(c *serveConfig) { c.areyouai.origins = []string{"*"} }, false, "--areyouai-origins must be"},
		{"empty origin", func(c *serveConfig) { c.areyouai.origins = []string{""} }, false, "--areyouai-origins must be"},
		{"no phrases there", func(c *serveConfig) { c.areyouai.policy.file = "testdata" }, false, "--areyouai-phrases cannot be used"},
		{"no phrases at all", func(c *serveConfig) { c.areyouai.policy.file = "none" }, false, ""},
		{"violations", func(c *serveConfig) { c.areyouai.policy.violations = -1 }, false, "--areyouai-violations must be 0 or more"},
		{"within", func(c *serveConfig) { c.areyouai.policy.within = 0 }, false, "--areyouai-violations-within must be one second"},
		{"block", func(c *serveConfig) { c.areyouai.policy.block = 0 }, false, "--areyouai-block must be one second"},
		{"level", func(c *serveConfig) { c.logLevel = "Debug" }, false, ""},
		{"no level", func(c *serveConfig) { c.logLevel = "" }, false, "--log-level must be"},
		{"level that hides all", func(c *serveConfig) { c.logLevel = "fatal" }, false, "--log-level must be"},
		{"no file", func(c *serveConfig) { c.maxAttachment = 0 }, false, "--max-attachment must be"},
		{"nothing kept", func(c *serveConfig) { c.retainEvents = 0 }, false, "--retain-events must be 1 or more, but is 0"},
		{"kept for no time", func(c *serveConfig) { c.retainAge = time.Second - 1 }, false, "--retain-age must be one second or more"},
		{"purged at once", func(c *serveConfig) { c.purge.grace = 0 }, false, "--purge-grace must be one second or more"},
		{"no limit", func(c *serveConfig) { c.limits = areyouaifront.Limits{} }, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := good
			tc.change(&c)
			err := c.check(func(flag string) bool { return tc.given && flag == flagToken })
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
	for i := range good.limitFlags() {
		c := good
		l := c.limitFlags()[i]
		*l.value = -1
		require.ErrorContains(t, c.check(never), "--"+l.flag+" must be 0 or more")
	}
}
