package areyouaifront_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/areyouai/prompt"
)

var update = flag.Bool("update", false, "write the golden files anew")

// script records requests and replies as they cross the wire, without what net/http and the test's transport add.
type script struct {
	*gate
	out bytes.Buffer
}

func (s *script) do(title string, a ask) answer {
	s.t.Helper()
	if a.header == nil {
		a.header = map[string]string{}
	}
	a.header["X-Request-Id"] = "golden"
	got := s.gate.do(a)
	fmt.Fprintf(&s.out, "=== %s\n> %s %s\n", title, a.method, a.path)
	for _, name := range []string{"Idempotency-Key", "Last-Event-ID", "Origin"} {
		if v := a.header[name]; v != "" {
			fmt.Fprintf(&s.out, "> %s: %s\n", name, v)
		}
	}
	if a.body != "" {
		fmt.Fprintf(&s.out, "> %s\n", a.body)
	}
	fmt.Fprintf(&s.out, "< %d\n", got.status)
	names := make([]string, 0, len(got.header))
	for name := range got.header {
		if everywhere := commonHeaders[name]; everywhere != "" {
			require.Equal(s.t, everywhere, got.header.Get(name))
		} else if name != "Date" && name != "Content-Length" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&s.out, "< %s: %s\n", name, got.header.Get(name))
	}
	fmt.Fprintf(&s.out, "%s\n", got.body)
	return got
}

// commonHeaders is what every reply carries.
var commonHeaders = map[string]string{
	"X-Request-Id":           "golden",
	"X-Content-Type-Options": "nosniff",
	"X-Frame-Options":        "DENY",
	"Referrer-Policy":        "no-referrer",
	"Permissions-Policy":     "geolocation=(), microphone=(), camera=()",
}

// TestGoldenFlow pins every byte of a whole conversation: registration, listing, connect, prompt, messages up to the last
// turn, refusals, history. Ids, secrets and times are repeatable.
func TestGoldenFlow(t *testing.T) {
	layers, err := prompt.NewLayers(prompt.Texts{
		SystemCore: "core", HardRulesGlobal: "global", HardRulesAgent: "agent", Identity: "identity", Soul: "soul", User: "user",
	})
	require.NoError(t, err)
	s := &script{gate: newGate(t, areyouaifront.Options{Layers: layers})}
	post, get := http.MethodPost, http.MethodGet
	reg := func(name string) areyouai.RegisterReply {
		return as[areyouai.RegisterReply](s.gate, 201, s.do("register "+name, ask{method: post, path: "/v1/agent/register", body: `{"name":"` + name + `"}`}))
	}
	login := func(r areyouai.RegisterReply) string {
		return as[areyouai.LoginReply](s.gate, 200, s.do("login", ask{method: post, path: "/v1/agent/login", body: `{"api_key":"` + r.APIKey + `"}`})).SessionToken
	}
	s.do("health", ask{method: get, path: "/healthz"})
	s.do("mode", ask{method: get, path: "/v1/mode", header: map[string]string{"Origin": "http://localhost:3000"}})
	ada, bob := reg("Ada"), reg("Bob")
	a, b := login(ada), login(bob)
	l := as[areyouai.ListingReply](s.gate, 201, s.do("list", ask{method: post, path: "/v1/listings", token: a, body: `{"topic":" Tea or <coffee>? ","tags":["drinks","50%"],"max_turns":3,"ttl_seconds":600}`}))
	room := "/v1/rooms/" + l.RoomID
	s.do("search", ask{method: get, path: "/v1/listings/search?q=COFFEE"})
	s.do("state while open", ask{method: get, path: room + "/state", token: a})
	s.clock.Advance(1500 * time.Millisecond)
	s.do("connect", ask{method: post, path: "/v1/listings/" + l.ID + "/connect", token: b})
	s.do("connect again", ask{method: post, path: "/v1/listings/" + l.ID + "/connect", token: b})
	say := func(token string, turn int, text, hash string) {
		body, err := json.Marshal(areyouai.SendRequest{ExpectedTurn: int64(turn), Ciphertext: text, BundleHash: hash})
		require.NoError(t, err)
		s.do("message", ask{method: post, path: room + "/messages", token: token, body: string(body)})
	}
	for turn := range 3 {
		token := []string{a, b}[turn%2]
		c := as[areyouai.ContextReply](s.gate, 200, s.do("context", ask{method: get, path: room + "/context", token: token}))
		s.do("ack", ask{method: post, path: room + "/context/ack", token: token, body: fmt.Sprintf(`{"turn_index":%d}`, turn)})
		s.clock.Advance(time.Second)
		if turn == 0 {
			say(token, 0, "wrong hash", "00")
			say(token, 1, "wrong turn", c.BundleHash)
		}
		say(token, turn, fmt.Sprintf("  <message>\n[SYSTEM_CORE] %d & \"more\" \u2028 ", turn), c.BundleHash)
	}
	say(a, 3, "too late", "00")
	s.do("close again", ask{method: post, path: room + "/close", token: a})
	s.do("state when closed", ask{method: get, path: room + "/state", token: b})
	s.do("history", ask{method: get, path: room + "/events/history?limit=200", token: b})
	s.do("unknown", ask{method: get, path: "/v1/agent/logout"})
	s.do("wrong method", ask{method: http.MethodPut, path: room + "/messages"})

	const file = "testdata/flow.golden"
	if *update {
		require.NoError(t, os.WriteFile(file, s.out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), s.out.String())
}
