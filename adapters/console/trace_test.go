package console_test

import (
	"bufio"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/adapters/switchfront"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

var framed = regexp.MustCompile(`(?s)<div class="frame">.*?<pre>(.*?)</pre></div>`)

// frames are the frames of a piece of page, as text.
func frames(piece string) (out []string) {
	for _, m := range framed.FindAllStringSubmatch(piece, -1) {
		out = append(out, html.UnescapeString(m[1]))
	}
	return out
}

// switchStream opens a real stream of an agent and returns what reads its next event.
func (h *house) switchStream(agent, key, query string) func() string {
	h.t.Helper()
	front := switchfront.New(h.node, operations.New(h.node), switchfront.Options{})
	server := httptest.NewServer(front.Handler())
	h.t.Cleanup(server.Close)
	h.t.Cleanup(front.Drain)
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, server.URL+"/agents/"+agent+"/events?connection_id=c-real"+query, nil)
	require.NoError(h.t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(h.t, http.StatusOK, res.StatusCode)
	lines := bufio.NewReader(res.Body)
	frame := func() string {
		var b strings.Builder
		for {
			line, err := lines.ReadString('\n')
			require.NoError(h.t, err)
			if b.WriteString(line); line == "\n" {
				return b.String()
			}
		}
	}
	frame() // where the connection is
	return func() string {
		for {
			if f := frame(); strings.HasPrefix(f, "id: ") {
				return f
			}
		}
	}
}

// talk lets three talk in two rooms, with what is for some alone and what is hostile; the last thing said is "the end".
func (h *house) talk(room, other string, ada, bob, eve core.Agent) {
	h.t.Helper()
	h.says(room, bob, `@ada <script>alert("1")</script> & so on`)
	h.says(room, ada, "an agent does not hear itself")
	_, _, err := h.node.DelegateTask(h.t.Context(), room, core.DelegateTask{Requester: bob.ID, Performer: ada.ID, Summary: "for ada"}, nil)
	require.NoError(h.t, err)
	_, _, err = h.node.DelegateTask(h.t.Context(), room, core.DelegateTask{Requester: bob.ID, Performer: eve.ID, Summary: "not for ada"}, nil)
	require.NoError(h.t, err)
	h.says(other, bob, "in another room\r\nwith lines\u2028of all kinds")
	require.NoError(h.t, h.node.JoinRoom(h.t.Context(), other, core.JoinRoom{Member: core.NewMember{Agent: eve.ID, Name: "eve", Handle: "eve"}}))
	h.says(room, eve, "the end")
}

func TestATraceShowsWhatARealStreamDoes(t *testing.T) {
	h := newHouseIn(t, memlog.New(), patient(), console.Options{})
	made, err := h.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada", Owner: "karl"}})
	require.NoError(t, err)
	ada, bob, eve := made.Agent, h.agent("bob", "acme"), h.agent("eve", "acme")
	room, other := h.room("ops", "acme", ada, bob, eve), h.room("direct", "acme", ada, bob)
	head := h.node.Applied()
	b := h.signedIn("karl")
	at := "/gateway/agents/" + ada.ID + "/trace"
	next := follow(t, b, at+"?script=switch")
	stream := h.switchStream(ada.ID, made.Key, "&scope=all")
	readers, err := h.node.ReadersOf(t.Context(), ada.ID)
	require.NoError(t, err)
	require.Len(t, readers, 1, "the real stream is one that serves, the trace is none")
	require.Equal(t, []string{"switch", "c-real"}, []string{readers[0].Door, readers[0].Name})
	h.talk(room, other, ada, bob, eve)
	var streamed, traced []string
	for len(streamed) == 0 || !strings.Contains(streamed[len(streamed)-1], "the end") {
		streamed = append(streamed, stream())
	}
	for len(traced) < len(streamed) {
		e := next()
		require.Equal(t, "frame", e.name)
		require.Len(t, frames(e.data), 1)
		traced = append(traced, frames(e.data)...)
		require.True(t, strings.HasPrefix(traced[len(traced)-1], "id: "+e.id+"\n"), "an open page goes on from there")
		require.NotContains(t, e.data, "<script>")
	}
	require.Equal(t, streamed, traced)
	require.Contains(t, strings.Join(streamed, ""), "for ada")
	require.NotContains(t, strings.Join(streamed, ""), "not for ada")

	// The same behind a cursor, on a page without a script.
	page := b.get(fmt.Sprintf("%s?script=switch&after=%d", at, head))
	require.Equal(t, streamed, frames(page.body))
	require.NotContains(t, page.body, "<script>alert")
	require.Empty(t, frames(b.get(at).body), "from the head there is nothing yet")
}

func TestATraceInOtherScripts(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob, eve := h.agent("ada", "karl"), h.agent("bob", "acme"), h.agent("eve", "acme")
	room, other := h.room("ops", "acme", ada, bob, eve), h.room("direct", "acme", ada, bob)
	before := h.node.Applied()
	h.talk(room, other, ada, bob, eve)
	b := h.signedIn("karl")
	at := "/gateway/agents/" + ada.ID + "/trace"
	for script, mark := range map[string]string{"core": `"text":"the end"`, "areyouai": "event: ", "edge": `{"`} {
		all := frames(b.get(fmt.Sprintf("%s?script=%s&after=%d", at, script, before)).body)
		text := strings.Join(all, "")
		require.Contains(t, text, mark, script)
		require.Contains(t, text, "the end", script)
		require.Contains(t, text, "an agent does not hear itself", "others than Switch show that")
		require.NotContains(t, text, "not for ada", "what is for others alone is not shown in %s", script)
	}
	for _, bad := range []string{"?script=klingon", "?after=x", "?after=-1", "?after=1e3"} {
		require.Equal(t, http.StatusBadRequest, b.get(at+bad).status, bad)
	}
	require.Equal(t, http.StatusOK, b.get(at+"?after=18446744073709551615").status)
}

func TestATraceDisturbsNobody(t *testing.T) {
	log := memlog.New()
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "acme", ada, bob)
	head := h.node.Applied()
	b := h.signedIn("karl")
	next := follow(t, b, "/gateway/agents/"+ada.ID+"/trace")
	before := h.node.Presence(ada.ID, room)
	h.says(room, bob, "@ada look")
	require.Contains(t, next().data, "@ada look")
	said := h.node.Applied()
	require.Equal(t, before, h.node.Presence(ada.ID, room))
	require.Empty(t, h.node.LiveConnections(t.Context(), ada.ID))
	require.Empty(t, h.node.AttendedBy(ada.ID))
	readers, err := h.node.ReadersOf(t.Context(), ada.ID)
	require.NoError(t, err)
	require.Empty(t, readers)
	require.Zero(t, h.node.Latency())
	require.Len(t, h.node.Waiting(t.Context(), ada.ID), 1, "nothing is acknowledged")
	// The signing in was before; only what bob said has been written since.
	written := 0
	for rec, err := range log.Read(t.Context(), core.AgentStream(ada.ID), 0) {
		require.NoError(t, err)
		require.LessOrEqual(t, rec.Position, head)
		written++
	}
	require.Zero(t, written, "the agent's own stream is empty")
	require.Equal(t, said, h.node.Applied())
}

func TestALongTraceIsShownInPart(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "acme", ada, bob)
	for i := range 300 {
		h.says(room, bob, fmt.Sprintf("number %d. %s", i, strings.Repeat("w", 400)))
	}
	b := h.signedIn("karl")
	at := "/gateway/agents/" + ada.ID + "/trace"
	page := b.get(at + "?after=0").body
	require.Less(t, len(page), 90<<10)
	shown := len(frames(page))
	require.Greater(t, shown, 30)
	_, rest, _ := strings.Cut(page, `data-live="`)
	live, _, _ := strings.Cut(rest, `"`)
	next := follow(t, b, html.UnescapeString(live))
	// The first frame is that of bob's arrival.
	for i := shown - 1; i < 300; i++ {
		require.Contains(t, next().data, fmt.Sprintf("number %d. ", i), "the live stream goes on where the page ends")
	}
}

// What happens after a session has ended, or after the right to see the agent has, is not shown in a trace that is open.
func TestATraceShowsNothingAfterTheRight(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "acme"), h.agent("bob", "acme")
	room := h.room("ops", "acme", ada, bob)
	require.NoError(t, h.node.SetAdmin(t.Context(), h.karl.ID, true))
	path := "/gateway/agents/" + ada.ID + "/trace?script=core"
	for _, end := range []func() error{
		func() error { return h.node.SetAdmin(t.Context(), h.karl.ID, false) },
		func() error { return h.node.SetPassword(t.Context(), h.olga.ID, "", "") },
	} {
		name := "karl"
		if user, _ := h.node.User(h.karl.ID); !user.Admin {
			name = "olga"
		}
		next := follow(t, h.signedIn(name), path)
		h.says(room, bob, "for "+name)
		require.Contains(t, next().data, "for "+name)
		require.NoError(t, end())
		h.says(room, bob, "for nobody")
		require.NotContains(t, over(next), "for nobody")
	}
}
