package console_test

import (
	"html"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
)

// startLines are the lines to copy on the page, as a browser shows them.
func startLines(t *testing.T, page string) string {
	t.Helper()
	var all strings.Builder
	for rest := page; ; {
		_, after, ok := strings.Cut(rest, `<pre tabindex="0">`)
		if !ok {
			break
		}
		var block string
		block, rest, ok = strings.Cut(after, "</pre>")
		require.True(t, ok)
		all.WriteString(html.UnescapeString(block) + "\n")
	}
	return all.String()
}

func TestTheLinesOfTheStartPageNameThisGateway(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("karl")
	lines := startLines(t, b.get("/gateway/start").body)
	require.Contains(t, lines, "export SWITCH_API_ENDPOINT="+h.server.URL+"\n")
	require.Contains(t, lines, `new AgentClient("ws`+strings.TrimPrefix(h.server.URL, "http")+"/agents/")
	require.Contains(t, lines, "Bearer REGISTRATION_TOKEN")

	public := newHouse(t, console.Options{PublicURL: "https://rooms.example/"})
	lines = startLines(t, public.signedInWith("karl", "https").get("/gateway/start").body)
	require.Contains(t, lines, "export SWITCH_API_ENDPOINT=https://rooms.example\n")
	require.Contains(t, lines, `new AgentClient("wss://rooms.example/agents/`)
	require.NotContains(t, lines, "127.0.0.1")
	require.NotContains(t, lines, "example//")
}

func TestTheStartPagePutsATokenIntoItsLines(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("karl")
	a := b.post("/gateway/start/token", nil)
	token := shown(t, a)
	require.Contains(t, startLines(t, a.body), "-H 'Authorization: Bearer "+token+"'")
	made, err := h.registers(token, "ada")
	require.NoError(t, err)
	require.Equal(t, "karl", made.Agent.Owner)
	require.NotContains(t, b.get("/gateway/start").body, token)
	b.post("/gateway/start/token", url.Values{"owner": {"acme"}})
	for _, info := range h.node.RegistrationTokens() {
		require.Equal(t, "karl", info.Owner, "for nobody else")
	}
}

// TestTheStartPageSaysWhatTheDocumentsSay: each command stands in the documents of its protocol too, with the same words.
func TestTheStartPageSaysWhatTheDocumentsSay(t *testing.T) {
	h := newHouse(t, console.Options{PublicURL: "https://rooms.example"})
	lines := startLines(t, h.signedInWith("karl", "https").get("/gateway/start").body)
	for file, words := range map[string][]string{
		"switch.md": {
			"/agents/register-known", "Authorization: Bearer ", "Content-Type: application/json",
			`-d '{"agent_type":"claude-code","name":"ada","description":"likes cranes"}'`,
			"SWITCH_API_ENDPOINT", "SWITCH_AGENT_ID", "SWITCH_API_TOKEN",
		},
		"areyouai.md": {"/v1/agent/register", `-d '{"name":"bert"}'`, "init --aya-api-base-url ", "login --api-key ak_…", "serve"},
		"wake.md": {
			`stele wake init --server https://rooms.example --hook-command "/usr/local/bin/my-agent --once"`,
			"stele wake login --api-key-file key.txt", "stele wake run",
		},
		"edge.md": {"new AgentClient(", "/agents/ada/", "resume: true }"},
	} {
		doc, err := os.ReadFile("../../docs/" + file)
		require.NoError(t, err)
		for _, word := range words {
			require.Contains(t, string(doc), word, file)
			require.Contains(t, lines, word, file)
		}
	}
}
