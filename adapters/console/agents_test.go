package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
)

// shownSecret finds the one secret of a page.
func shownSecret(t *testing.T, body string) string {
	t.Helper()
	m := regexp.MustCompile(`<code class="copyable"[^>]*>([^<]+)</code>`).FindAllStringSubmatch(body, -1)
	require.Len(t, m, 1)
	return m[0][1]
}

func TestAgentsAreRegisteredForTheirOwner(t *testing.T) {
	log := memlog.New()
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	b := h.signedIn("karl")
	page := b.post("/gateway/agents", url.Values{"name": {"ada"}, "type": {"claude-code"}, "description": {"likes <cranes>"}})
	require.Equal(t, http.StatusOK, page.status)
	key := shownSecret(t, page.body)
	ada, ok := h.node.AgentByHandle("ada")
	require.True(t, ok)
	require.Equal(t, []string{"karl", "claude-code", "Claude Code", core.ModelSession, "likes <cranes>"},
		[]string{ada.Owner, ada.KnownType, ada.Connector, ada.Model, ada.Description})
	require.Equal(t, core.HashSecret(key), ada.KeyHash)
	require.NotEmpty(t, ada.Tools)
	for _, path := range []string{"/gateway/agents", "/gateway/agents/" + ada.ID} {
		body := b.get(path).body
		require.Contains(t, body, "Claude Code")
		require.NotContains(t, body, key, "it was shown once")
	}
	require.Contains(t, b.get("/gateway/agents/"+ada.ID).body, "likes &lt;cranes&gt;")

	require.Equal(t, http.StatusOK, b.post("/gateway/agents", url.Values{"name": {"bert"}}).status)
	bert, _ := h.node.AgentByHandle("bert")
	require.Equal(t, "karl", bert.Owner)
	require.Empty(t, bert.KnownType)

	for name, form := range map[string]url.Values{
		"taken":            {"name": {"ada"}},
		"must match":       {"name": {"Not A Handle"}},
		"of those on the ": {"name": {"other"}, "type": {"toaster"}},
	} {
		a := b.post("/gateway/agents", form)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusConflict}, a.status, name)
		require.Contains(t, a.body, name)
		require.Contains(t, a.body, fmt.Sprintf(`value="%s"`, form.Get("name")), "what was typed is not lost")
		require.NotContains(t, a.body, "copyable")
	}
	require.Equal(t, "user karl", registeredBy(t, log, ada.ID), "the log tells who did it")
}

// registeredBy is who made an agent, as the log tells.
func registeredBy(t *testing.T, log core.Log, agent string) string {
	t.Helper()
	for rec, err := range log.Read(t.Context(), core.DirectoryStream, 0) {
		require.NoError(t, err)
		if rec.Kind == core.AgentRegistered && strings.Contains(string(rec.Body), agent) {
			_, rest, _ := strings.Cut(string(rec.Body), `"by":"`)
			by, _, _ := strings.Cut(rest, `"`)
			return by
		}
	}
	t.Fatal("it is not in the log")
	return ""
}

func TestAgentsAreSeenByTheirOwners(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	h.room("<i>ops</i>", "acme", ada, bob)
	_, err := h.node.Participant(t.Context(), h.karl.ID)
	require.NoError(t, err)
	olga, karl := h.signedIn("olga"), h.signedIn("karl")
	all, his := olga.get("/gateway/agents").body, karl.get("/gateway/agents").body
	require.Contains(t, all, bob.ID)
	require.NotContains(t, his, bob.ID)
	require.Contains(t, his, ada.ID)
	require.Contains(t, his, `<span class="tag">person</span>`)
	found := olga.get("/gateway/agents?q=AcM").body
	require.Contains(t, found, bob.ID)
	require.NotContains(t, found, ada.ID)
	require.Contains(t, olga.get("/gateway/agents?q="+ada.ID).body, ada.Handle)
	require.Contains(t, olga.get("/gateway/agents?q=<script>").body, "No agent has that name")

	at := "/gateway/agents/" + bob.ID
	for _, path := range []string{"", "/live", "/trace", "/trace?script=core&after=0"} {
		require.Equal(t, http.StatusNotFound, karl.get(at+path).status, path)
	}
	for _, path := range []string{"/rotate", "/delete"} {
		require.Equal(t, http.StatusNotFound, karl.post(at+path, nil).status, path)
	}
	now, _ := h.node.Agent(bob.ID)
	require.Equal(t, bob, now)
	body := olga.get(at).body
	require.Contains(t, body, "&lt;i&gt;ops&lt;/i&gt;")
	require.NotContains(t, body, "<i>")
}

func TestKeysAreReplacedAndAgentsDeleted(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	b := h.signedIn("karl")
	at := "/gateway/agents/" + ada.ID
	page := b.post(at+"/rotate", nil)
	require.Equal(t, http.StatusOK, page.status)
	key := shownSecret(t, page.body)
	now, _ := h.node.Agent(ada.ID)
	require.Equal(t, core.HashSecret(key), now.KeyHash)
	require.NotEqual(t, ada.KeyHash, now.KeyHash)
	require.NotContains(t, b.get(at).body, key)

	a := b.post(at+"/delete", nil)
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Equal(t, "/gateway/agents", a.header.Get("Location"))
	_, ok := h.node.Agent(ada.ID)
	require.False(t, ok)
	require.Equal(t, http.StatusNotFound, b.get(at).status)

	person, err := h.node.Participant(t.Context(), h.karl.ID)
	require.NoError(t, err)
	at = "/gateway/agents/" + person.ID
	for _, path := range []string{"/rotate", "/delete"} {
		a := b.post(at+path, nil)
		require.Equal(t, http.StatusConflict, a.status)
		require.Contains(t, a.body, "participant is a person")
	}
	require.NotContains(t, b.get(at).body, "Replace the key")
}

// cells are the texts of the table rows that hold a text.
func cells(body, holding string) []string {
	for _, row := range strings.Split(body, "<tr>") {
		if row, _, _ = strings.Cut(row, "</tr>"); !strings.Contains(row, holding) {
			continue
		}
		var out []string
		for _, cell := range strings.Split(row, "<td")[1:] {
			_, cell, _ = strings.Cut(cell, ">")
			out = append(out, strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(cell, " ")), " "))
		}
		return out
	}
	return nil
}

func TestAnAgentsConnectionsAreShown(t *testing.T) {
	h := newHouseIn(t, memlog.New(), patient(), console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "karl", ada, bob)
	head := h.node.Applied()
	opened, err := h.node.OpenConnection(t.Context(), ada.ID, core.OpenRequest{
		ID: "<c-1>", Scope: core.ScopeSingle, Filter: core.FilterAddressed, Spawn: true, Rooms: []string{room}, FromHead: true,
	})
	require.NoError(t, err)
	r := h.node.NewAgentReader(ada.ID, head)
	defer r.Close()
	r.Serve(ada.ID, "switch", opened.Connection.ID)
	socket := h.node.NewRoomReader(room, head)
	defer socket.Close()
	socket.Serve(ada.ID, "edge", room)
	defer h.node.Attend(ada.ID, room, "edge")()
	defer h.node.Attend(ada.ID, "", "areyouai")()
	_, err = h.node.AddWebhook(t.Context(), ada.ID, core.Webhook{ID: h.node.NewWebhookID(), URL: "https://hooks.example/secret-path", Enabled: true})
	require.NoError(t, err)
	for range 3 {
		h.says(room, bob, "x")
	}
	b := h.signedIn("karl")
	at := "/gateway/agents/" + ada.ID
	body := b.get(at).body
	row := cells(body, "c-1")
	require.Equal(t, []string{"&lt;c-1&gt;", "single addressed spawns", "ops", fmt.Sprint(head), "3"}, row[:5])
	require.Regexp(t, `^\d+ s$`, row[5])
	require.Equal(t, []string{"edge", "ops", fmt.Sprint(head), "3"}, cells(body, `class="script edge"`)[:4])
	require.Contains(t, body, "hooks.example")
	require.NotContains(t, body, "secret-path", "the rest of a webhook's address may be secret")
	for _, x := range []string{`<span class="script areyouai">areyouai</span> 1 open for all rooms`, `<dt>Callbacks that wait</dt><dd>3</dd>`} {
		require.Contains(t, body, x)
	}

	next := follow(t, b, at+"/live")
	require.Equal(t, "doors", next().name)
	_, err = r.Read(t.Context(), 100, nil)
	require.NoError(t, err)
	e := next()
	for cells(e.data, "c-1")[4] != "0" {
		e = next()
	}
	require.Equal(t, fmt.Sprint(h.node.Applied()), cells(e.data, "c-1")[3])
	r.Close()
	for {
		if e = next(); strings.Contains(e.data, "no stream here") {
			break
		}
	}
	require.Equal(t, "3", cells(e.data, "c-1")[4], "where the next stream would go on")
	require.NoError(t, h.node.DeleteAgent(context.Background(), ada.ID))
	for next().name != "over" {
	}
}
