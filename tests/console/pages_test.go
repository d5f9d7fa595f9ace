package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// TestOverviewLive: the overview counts rooms, agents and connections of the three protocols, and follows what is said without
// being loaded again.
func TestOverviewLive(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b := w.tab(t)
	w.signIn(b)
	b.await(`document.getElementById("link").innerText === "Live"`)
	b.await(`["switch", "areyouai", "edge"].every((s) => document.querySelector("main .script." + s)?.parentElement.innerText.trim().endsWith("1"))`)
	require.Equal(t, []string{"1", "3", "3"}, b.texts(".grid .figure"))
	for i := range 3 {
		p.cleoSays(fmt.Sprintf("box %d", i))
	}
	b.await(`document.querySelector(".chart title").textContent.startsWith("3 messages")`)
	require.Positive(t, b.count(".chart .bar-now"))
	w.newPair("tides", 4)
	b.await(`document.querySelector(".grid .figure").innerText === "2"`)
	require.Contains(t, b.text("main"), "All is well.")
}

// TestAgentPages: an agent registered in the console speaks with its key, its page shows its connection, and the trace what it
// is sent, live; a replaced key ends the old one.
func TestAgentPages(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b := w.tab(t)
	w.signIn(b)
	b.follow(`nav a[href="/gateway/agents"]`)
	b.fill(`form[action="/gateway/agents"] input[name="name"]`, "dora")
	b.submit(`form[action="/gateway/agents"] input[name="name"]`)
	key := b.text(".secret code")
	b.open("/gateway/agents")
	b.follow(agentLink(b, "dora"))
	id := value[string](b, `location.pathname.split("/").at(-1)`)
	dora, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, AgentID: id, APIKey: key, HTTPClient: w.http})
	require.NoError(t, err)
	_, err = dora.ListRooms(t.Context(), false)
	require.NoError(t, err)
	b.follow(`form[action$="/rotate"] button`, opened("Replace the key"))
	require.NotEqual(t, key, b.text(".secret code"))
	_, err = dora.ListRooms(t.Context(), false)
	require.True(t, agentswitch.IsUnauthorized(err), "%v", err)

	b.open("/gateway/agents")
	b.follow(agentLink(b, "ada"))
	require.Contains(t, b.text(`section[aria-labelledby="connections"]`), "ada-1")
	require.Contains(t, b.text(`section[aria-labelledby="connections"]`), "harbour")
	b.follow(`a[href$="/trace"]`)
	b.await(`document.getElementById("link").innerText === "Live"`)
	p.bertSays("What does Ada see?")
	b.await(`document.getElementById("trace").innerText.includes("What does Ada see?")`)
	frame := b.texts("#trace pre")
	require.Contains(t, frame[len(frame)-1], "event: message")
	require.Contains(t, frame[len(frame)-1], `"body":"What does Ada see?"`)
}

// agentLink is the link to an agent in the list.
func agentLink(b *tab, name string) string {
	b.t.Helper()
	href := value[string](b, fmt.Sprintf(`[...document.querySelectorAll("main td a")].find((a) => a.innerText === %q)?.getAttribute("href") ?? ""`, name))
	require.NotEmpty(b.t, href, name)
	return fmt.Sprintf(`main td a[href="%s"]`, href)
}

// TestPeople: an administrator lets somebody in, who sees nothing that belongs to others, changes the password, and is out when
// deleted.
func TestPeople(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b, karl := w.tab(t), w.tab(t)
	w.signIn(b)
	b.follow(`nav a[href="/gateway/people"]`)
	b.fill(`form[action="/gateway/people"] input[name="name"]`, "karl")
	b.submit(`form[action="/gateway/people"] input[name="name"]`)
	shown := b.text(".secret code")

	enter := func(secret string) {
		t.Helper()
		karl.open("/gateway/sign-in")
		karl.fill(`input[name="name"]`, "karl")
		karl.fill(`input[name="password"]`, secret)
		karl.submit(`input[name="password"]`)
	}
	enter(shown)
	require.Equal(t, "karl", karl.text(".me a"))
	karl.open("/gateway/rooms")
	require.NotContains(t, karl.text("main"), "harbour")
	karl.open("/gateway/rooms/" + p.room)
	require.Contains(t, karl.text("h1"), "Not Found")
	karl.open("/gateway/people")
	require.Contains(t, karl.text("h1"), "Forbidden")

	karl.open("/gateway/account")
	karl.fill(`input[name="present"]`, shown)
	karl.fill(`form[action$="/password"] input[name="password"]`, "another password of karl")
	karl.submit(`form[action$="/password"] input[name="password"]`)
	require.NotEmpty(t, karl.text(`[role="status"]`))
	karl.follow(".me form button")
	enter(shown)
	require.NotEmpty(t, karl.text(`[role="alert"]`))
	enter("another password of karl")
	require.Equal(t, "karl", karl.text(".me a"))

	// What is his is made with a token of his own.
	karl.follow(`nav a[href="/gateway/start"]`)
	karl.follow(`form[action="/gateway/start/token"] button`)
	token := karl.text(".secret code")
	lines := strings.Join(karl.texts("pre"), "\n")
	require.Contains(t, lines, token)
	require.Contains(t, lines, "export SWITCH_API_ENDPOINT="+w.url)
	require.Contains(t, lines, "ws"+strings.TrimPrefix(w.url, "http")+"/agents/")
	w.register("emil", token)
	karl.open("/gateway/agents")
	require.Contains(t, karl.text("main"), "emil")
	require.NotContains(t, karl.text("main"), "ada")

	b.open("/gateway/people")
	require.False(t, value[bool](b, `document.querySelector('button[aria-label="Delete karl"]').checkVisibility()`), "nobody is deleted by one click")
	b.follow(`button[aria-label="Delete karl"]`, clicks(`summary[aria-label="Change karl"]`))
	karl.open("/gateway")
	karl.await(`location.pathname === "/gateway/sign-in"`)
}

// TestManageRoom: a person invites somebody, publishes a listing, archives and closes, and is told why when that cannot be.
func TestManageRoom(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	w.register("dora", registrationToken)
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.fill(`input[name="agent"]`, "nobody-of-that-name")
	b.submit(`input[name="agent"]`)
	require.NotEmpty(t, b.text(`[role="alert"]`))
	b.follow(`form[action$="/join"] button`)
	b.fill(`input[name="agent"]`, "dora")
	b.submit(`input[name="agent"]`)
	require.Contains(t, b.texts(".people .who"), "dora")
	b.submit(`input[name="topic"]`)
	require.Contains(t, b.text("aside"), "listed")
	found, err := p.bert.Search(t.Context(), "harbour")
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	b.follow(`form[action$="/archive"] button`)
	require.Contains(t, b.text("aside"), "archived")
	b.follow(`form[action$="/unarchive"] button`)
	b.follow(`form[action$="/close"] button`, opened("Close for good"))
	require.Contains(t, b.text("aside .state"), "CLOSED")
}
