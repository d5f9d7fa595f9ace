package areyouaifront_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
)

// TestRetryAfterIsTheRealWait: a client that waits as long as it is told, and no shorter, is served.
func TestRetryAfterIsTheRealWait(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{AccountsPerIP: 3}})
	register := func() answer { return g.post("/v1/agent/register", "", `{"name":"p"}`) }
	require.Equal(t, 201, register().status)
	g.clock.Advance(20 * time.Second)
	require.Equal(t, 201, register().status)
	require.Equal(t, 201, register().status)
	g.clock.Advance(300 * time.Millisecond)
	got := register()
	require.Equal(t, 429, got.status)
	require.Equal(t, "40", got.header.Get("Retry-After"), "39.7 s until the first one leaves the minute, rounded up")
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	require.NoError(t, err)
	g.clock.Advance(time.Duration(wait-1) * time.Second)
	require.Equal(t, "1", register().header.Get("Retry-After"))
	g.clock.Advance(time.Second)
	require.Equal(t, 201, register().status)
	require.Equal(t, "20", register().header.Get("Retry-After"))
}

// TestEveryLimitNamesTheWait: each 429 carries the header, and no other answer does.
func TestEveryLimitNamesTheWait(t *testing.T) {
	for name, tc := range map[string]struct {
		limits areyouaifront.Limits
		ask    func(g *gate, r room) answer
		want   string
	}{
		"posts per address": {areyouaifront.Limits{PostsPerIP: 1}, func(g *gate, r room) answer { return r.post(r.a, "") }, "60"},
		"messages per agent": {areyouaifront.Limits{MessagesPerAgent: 1}, func(g *gate, r room) answer {
			return r.post(r.a, r.message(r.a, "x"))
		}, "60"},
		"messages per room": {areyouaifront.Limits{MessagesPerRoom: 2}, func(g *gate, r room) answer {
			return r.post(r.a, r.message(r.a, "x"))
		}, "60"},
		"streams opened per address": {areyouaifront.Limits{OpensPerIP: 1}, func(g *gate, r room) answer {
			return g.get(r.path("/events"), r.b.token)
		}, "60"},
		"streams opened per member": {areyouaifront.Limits{OpensPerMember: 1}, func(g *gate, r room) answer {
			return g.get(r.path("/events"), r.a.token)
		}, "60"},
		"streams open": {areyouaifront.Limits{OpenStreams: 1}, func(g *gate, r room) answer {
			return g.get(r.path("/events"), r.a.token)
		}, "30"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{}})
			r := g.room()
			limited := g.withLimits("two", tc.limits)
			r.g = limited
			if tc.limits.PostsPerIP == 1 {
				r.say(r.a, "first")
			} else if tc.limits.OpensPerIP+tc.limits.OpensPerMember+tc.limits.OpenStreams > 0 {
				defer limited.openStream(r.path("/events"), r.a.token, nil).close()
			} else {
				r.talk(2)
			}
			got := tc.ask(limited, r)
			require.Equal(t, 429, got.status, got.body)
			require.Equal(t, "rate_limited", got.code())
			require.Equal(t, tc.want, got.header.Get("Retry-After"))
			require.Empty(t, limited.get(r.path("/state"), "").header.Get("Retry-After"))
		})
	}
}

// withLimits returns a gate on the same log with limits.
func (g *gate) withLimits(name string, l areyouaifront.Limits) *gate {
	g.t.Helper()
	other := *g
	other.opts.Limits = &l
	other.start(name)
	return &other
}

// TestPolicyBlocksNameNoWait: they are refusals of another kind, and their hint says what to do.
func TestPolicyBlocksNameNoWait(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Policy: areyouaifront.Policy{Violations: 1}})
	r := g.room()
	for _, want := range []string{"content policy refuses", "post again after"} {
		got := r.post(r.a, r.message(r.a, "sudo reboot"))
		require.Equal(t, 403, got.status)
		require.Contains(t, got.body, want)
		require.Empty(t, got.header.Get("Retry-After"))
	}
}
