package console_test

import (
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/internal/typedjson"
)

var marked = regexp.MustCompile(`<span class="f h(\d+)" data-field="([a-z_]+)" title="[a-z_]+">([^<]*)</span>`)

// slabs returns, by script, what the page marks as a field, with its colour.
func slabs(body string) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for _, script := range []string{"core", "switch", "areyouai", "edge"} {
		_, rest, _ := strings.Cut(body, `<section class="slab `+script+`"`)
		part, _, _ := strings.Cut(rest, "</section>")
		out[script] = map[string][]string{}
		for _, m := range marked.FindAllStringSubmatch(part, -1) {
			out[script][m[2]] = append(out[script][m[2]], m[1]+" "+m[3])
		}
	}
	return out
}

func TestAnEventIsShownInAllScripts(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "karl")
	room := h.room("ops", "karl", ada, bob)
	h.says(room, ada, "@bob <b>is</b> it?")
	sum, _ := h.node.Room(room)
	b := h.signedIn("karl")
	page := b.get(fmt.Sprintf("/gateway/rooms/%s/at/%d", room, sum.Version))
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, page.body, "<b>is")
	s := slabs(page.body)
	said := `&#34;@bob &lt;b&gt;is&lt;/b&gt; it?&#34;`
	for _, script := range []string{"core", "switch", "areyouai", "edge"} {
		require.NotEmpty(t, s[script]["text"], script)
		for _, text := range s[script]["text"] {
			require.Equal(t, "9 "+said, text, "the same field has the same colour in %s", script)
		}
	}
	number := fmt.Sprintf("3 %d", sum.Version)
	require.Contains(t, s["areyouai"]["version"], number)
	require.Contains(t, s["edge"]["version"], number)
	require.Contains(t, s["switch"]["position"], fmt.Sprintf("2 %d", sum.Head))
	require.Contains(t, s["switch"]["addressed"], "11 true", "bob, whom it addresses, is the receiver that was chosen")
	require.Contains(t, page.body, "<strong>Leaves out</strong>")

	as := b.get(fmt.Sprintf("/gateway/rooms/%s/at/%d?as=%s", room, sum.Version, ada.ID))
	require.Contains(t, as.body, "Silent to this receiver", "Switch does not show an agent what it said itself")
	require.Equal(t, http.StatusNotFound, b.get(fmt.Sprintf("/gateway/rooms/%s/at/%d", room, sum.Version+1)).status)
	require.Equal(t, http.StatusBadRequest, b.get("/gateway/rooms/"+room+"/at/x").status)
}

func TestATaskIsForItsParties(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob, cox := h.agent("ada", "acme"), h.agent("bob", "acme"), h.agent("cox", "karl")
	room := h.room("ops", "acme", ada, bob, cox)
	_, _, err := h.node.DelegateTask(t.Context(), room, core.DelegateTask{
		Requester: ada.ID, Performer: bob.ID, Summary: "secret summary", Description: "d",
	}, nil)
	require.NoError(t, err)
	sum, _ := h.node.Room(room)
	at := fmt.Sprintf("/gateway/rooms/%s/at/%d", room, sum.Version)
	require.Equal(t, http.StatusForbidden, h.signedIn("karl").get(at).status)
	page := h.signedIn("olga").get(at)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, "secret summary")
	require.NotContains(t, h.signedIn("karl").get("/gateway/rooms/"+room).body, "secret summary")
}

// The keys of what an agent emits are its own choice: they are no fields of the event, and do not make the page large.
func TestKeysThatAnAgentChoseAreNoFields(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "karl")
	room := h.room("ops", "karl", ada, bob)
	long := strings.Repeat("k", 2000)
	many := typedjson.Value{Kind: typedjson.Object}
	for i := range 180 {
		many.Members = append(many.Members, typedjson.Member{Key: fmt.Sprint("a", i), Value: typedjson.Value{Kind: typedjson.String, Text: "x"}})
	}
	payload := typedjson.Value{Kind: typedjson.Object, Members: []typedjson.Member{
		{Key: "sender_name", Value: typedjson.Value{Kind: typedjson.String, Text: "olga"}}, {Key: long, Value: many},
	}}
	_, err := h.node.EmitEvent(t.Context(), room, core.EmitEvent{Actor: ada.ID, Type: "job", Payload: payload}, nil)
	require.NoError(t, err)
	sum, _ := h.node.Room(room)
	page := h.signedIn("karl").get(fmt.Sprintf("/gateway/rooms/%s/at/%d", room, sum.Version))
	require.Equal(t, http.StatusOK, page.status)
	require.Less(t, len(page.body), 100_000)
	require.NotContains(t, page.body, `data-field="sender_name"`)
	s := slabs(page.body)
	require.Contains(t, s["edge"]["payload"], "0 &#34;olga&#34;")
	require.Equal(t, s["core"]["payload"][0], s["edge"]["payload"][0])
}

// TestDocumentsAreRead: the name of a document leads to what stands in it now, as it reads.
func TestDocumentsAreRead(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	made, err := h.node.CreateDocument(t.Context(), room, core.CreateDocument{Agent: ada.ID, Name: "tides", Content: "old"}, nil)
	require.NoError(t, err)
	content := "08:12 <b>4.1 m</b>\n14:30 0.9 m"
	require.NoError(t, h.node.ChangeDocument(t.Context(), room, core.ChangeDocument{Agent: ada.ID, Document: made, Content: &content}, nil))
	h.says(room, ada, "done")
	b := h.signedIn("karl")
	m := regexp.MustCompile(`<a href="([^"]*/at/\d+)#said"><bdi>tides</bdi></a>`).FindStringSubmatch(b.get("/gateway/rooms/" + room).body)
	require.NotNil(t, m)
	require.Contains(t, b.get(m[1]).body, `<div dir="auto" class="whole">`+template.HTMLEscapeString(content)+"</div>")
	text := b.get(m[1] + "/text")
	require.Equal(t, content, text.body)
	require.Contains(t, text.header.Get("Content-Type"), "text/plain")

	content = strings.Repeat("'", 20_000)
	require.NoError(t, h.node.ChangeDocument(t.Context(), room, core.ChangeDocument{Agent: ada.ID, Document: made, Content: &content}, nil))
	sum, _ := h.node.Room(room)
	page := b.get(fmt.Sprintf("/gateway/rooms/%s/at/%d", room, sum.Version)).body
	require.Less(t, len(page), pageBytes)
	require.Contains(t, page, "All 20000 characters, as plain text")
}
