package console_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
)

// agent registers an agent of an owner.
func (h *house) agent(name, owner string) core.Agent {
	h.t.Helper()
	made, err := h.node.Register(h.t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name, Owner: owner}})
	require.NoError(h.t, err)
	return made.Agent
}

// room makes an open room of an owner with some agents in it.
func (h *house) room(name, owner string, members ...core.Agent) string {
	h.t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: name, Owner: owner}}
	for _, a := range members {
		cmd.Members = append(cmd.Members, core.NewMember{Agent: a.ID, Name: a.Name, Handle: a.Handle})
	}
	made, _, err := h.node.CreateRoom(h.t.Context(), cmd, nil)
	require.NoError(h.t, err)
	return made.Room
}

func (h *house) says(room string, a core.Agent, text string) {
	h.t.Helper()
	_, _, err := h.node.PostMessage(h.t.Context(), room, core.PostMessage{Sender: a.ID, Text: text}, nil)
	require.NoError(h.t, err)
}

func TestARoomShowsWhatWasSaidAsText(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("<b>ops</b>", "karl", ada)
	for _, hostile := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "[x](javascript:alert(1))", "\u202Egnp.exe"} {
		h.says(room, ada, hostile)
	}
	b := h.signedIn("karl")
	page := b.get("/gateway/rooms/" + room)
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, page.body, "<script>alert")
	require.NotContains(t, page.body, "<img src=x")
	require.NotContains(t, page.body, "<b>ops")
	require.NotContains(t, page.body, `href="javascript`)
	require.Contains(t, page.body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, b.get("/gateway/rooms").body, "&lt;b&gt;ops&lt;/b&gt;")
}

func TestPeopleSeeWhatIsTheirs(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	his, shared, others := h.room("his", "karl", ada), h.room("shared", "acme", ada, bob), h.room("others", "acme", bob)
	karl, olga := h.signedIn("karl"), h.signedIn("olga")
	for room, sees := range map[string]bool{his: true, shared: true, others: false} {
		want := http.StatusNotFound
		if sees {
			want = http.StatusOK
		}
		for _, path := range []string{"", "/earlier?before=9"} {
			require.Equal(t, want, karl.get("/gateway/rooms/"+room+path).status, path)
			require.Equal(t, http.StatusOK, olga.get("/gateway/rooms/"+room+path).status, path)
		}
		require.Equal(t, sees, strings.Contains(karl.get("/gateway/rooms").body, room))
		require.Contains(t, olga.get("/gateway/rooms").body, room)
	}
	require.Equal(t, http.StatusNotFound, karl.post("/gateway/rooms/"+others+"/say", url.Values{"body": {"x"}}).status)
	require.Equal(t, http.StatusNotFound, karl.get("/gateway/rooms/"+others+"/live?since=1").status)
}

func TestPeopleActAsThemselves(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "karl", ada)
	b := h.signedIn("karl")
	at := "/gateway/rooms/" + room
	a := b.post(at+"/say", url.Values{"body": {"not yet"}})
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, "Not a member of this room.")
	require.Equal(t, http.StatusSeeOther, b.post(at+"/join", nil).status)
	require.Equal(t, http.StatusSeeOther, b.post(at+"/say", url.Values{"body": {"  hello  @ada"}}).status)
	require.Equal(t, http.StatusSeeOther, b.post(at+"/invite", url.Values{"agent": {"bob"}}).status)
	require.True(t, h.node.IsMember(bob.ID, room))
	require.Contains(t, b.post(at+"/invite", url.Values{"agent": {"nobody"}}).body, ">No agent &#34;nobody&#34;.</p>")

	karl, _ := h.node.User(h.karl.ID)
	var last *core.MessagePostedEvent
	for e, err := range h.node.HistoryOf(room).After(t.Context(), 0) {
		require.NoError(t, err)
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
			last = p
		}
	}
	require.Equal(t, karl.Agent, last.Sender)
	require.Equal(t, "karl", last.SenderName)
	require.True(t, last.Addresses(ada.ID))

	require.Equal(t, http.StatusSeeOther, b.post(at+"/archive", nil).status)
	sum, _ := h.node.Room(room)
	require.True(t, sum.Archived)
	require.Equal(t, http.StatusSeeOther, b.post(at+"/unarchive", nil).status)
	require.Equal(t, http.StatusSeeOther, b.post(at+"/close", nil).status)
	sum, _ = h.node.Room(room)
	require.Equal(t, core.StateClosed, sum.State)
	a = b.post(at+"/say", url.Values{"body": {"too late"}})
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.body, "is CLOSED")
	require.Contains(t, a.body, ">too late</textarea>", "what was to be said is not lost")
	page := b.get(at).body
	for _, action := range []string{"/say", "/join", "/invite", "/list", "/close"} {
		require.NotContains(t, page, at+action, "nothing is offered that cannot be done")
	}
	require.Contains(t, page, at+"/archive")
	require.Contains(t, page, "nothing more can be said")
}

// TestSomebodyElseHasTheName: where an agent has a person's name, the page tells by which the person speaks.
func TestSomebodyElseHasTheName(t *testing.T) {
	h := newHouse(t, console.Options{})
	room := h.room("ops", "karl", h.agent("karl", "acme"))
	b := h.signedIn("karl")
	require.Equal(t, http.StatusSeeOther, b.post("/gateway/rooms/"+room+"/join", nil).status)
	user, _ := h.node.User(h.karl.ID)
	self, _ := h.node.Agent(user.Agent)
	require.NotEqual(t, "karl", self.Handle)
	require.Contains(t, b.get("/gateway/rooms/"+room).body, `placeholder="Say something as `+self.Handle+`"`)
}

func TestALongConversationIsReadInPieces(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	const messages = 150
	for i := range messages {
		h.says(room, ada, fmt.Sprintf("message number %d.", i))
	}
	b := h.signedIn("karl")
	body := b.get("/gateway/rooms/" + room).body
	require.Less(t, len(body), 60<<10)
	next, pieces := messages-1, 0
	for {
		pieces++
		for i := next; i >= 0 && strings.Contains(body, fmt.Sprintf("message number %d.", i)); i-- {
			next = i - 1
		}
		_, rest, more := strings.Cut(body, `data-before="`)
		if !more {
			break
		}
		before, _, _ := strings.Cut(rest, `"`)
		body = b.get("/gateway/rooms/" + room + "/earlier?before=" + before).body
	}
	require.Equal(t, -1, next, "every message is in one of the pieces")
	require.Greater(t, pieces, 2)

	h.says(room, ada, strings.Repeat("w", 8192)+strings.Repeat("ш", 8192))
	require.Less(t, len(b.get("/gateway/rooms/"+room).body), 100<<10)
}

// event is one event of a live page.
type event struct{ id, name, data string }

func follow(t *testing.T, b *browser, path string) func() event {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+path, nil)
	require.NoError(t, err)
	return followRequest(t, b, r)
}

func followRequest(t *testing.T, b *browser, r *http.Request) func() event {
	t.Helper()
	r.Header.Set("Accept", "text/event-stream")
	res, err := b.http.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func() event {
		t.Helper()
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "":
				if e.name != "" {
					return e
				}
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data += value + "\n"
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return e
	}
}

func TestARoomIsLive(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	h.says(room, ada, "before")
	b := h.signedIn("karl")
	sum, _ := h.node.Room(room)
	next := follow(t, b, fmt.Sprintf("/gateway/rooms/%s/live?since=%d", room, sum.Version))
	h.says(room, ada, "<i>now</i>")
	items, asides := 0, 0
	for items < 2 || asides < 1 {
		switch e := next(); e.name {
		case "item":
			items++
			require.NotContains(t, e.data, "before")
			if items == 1 {
				require.Equal(t, fmt.Sprint(sum.Version+1), e.id)
				require.Contains(t, e.data, "&lt;i&gt;now&lt;/i&gt;")
				h.says(room, ada, "then")
			}
		case "aside":
			asides++
			require.Contains(t, e.data, "ada")
		}
	}
	for _, k := range h.node.UserKeys(h.karl.ID) {
		require.NoError(t, h.node.RevokeUserKey(t.Context(), h.karl.ID, k.ID))
	}
	for {
		if e := next(); e.name == "over" {
			break
		}
	}
}

// over waits for the end that a live page is told, and returns what it was shown until then.
func over(next func() event) (shown string) {
	for {
		e := next()
		if e.name == "over" {
			return shown
		}
		shown += e.data
	}
}

// A live page ends with the right to see the room, and not only with the session.
func TestALivePageEndsWithTheRight(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "acme", ada)
	karl, olga := h.signedIn("karl"), h.signedIn("olga")
	path := "/gateway/rooms/" + room + "/live?since=1"
	his, hers := follow(t, karl, path), follow(t, olga, path)
	require.NoError(t, h.node.SetAdmin(t.Context(), h.karl.ID, true))
	require.NoError(t, h.node.SetAdmin(t.Context(), h.olga.ID, false))
	over(hers)
	require.NoError(t, h.node.SetAdmin(t.Context(), h.olga.ID, true))
	require.NoError(t, h.node.SetAdmin(t.Context(), h.karl.ID, false))
	require.NoError(t, h.node.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: ada.ID}))
	over(his)
}

// A page of what was said earlier is read as it is: what came after it is not sent behind it.
func TestAnOldPartIsNotFollowed(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 400)
	for i := range 130 {
		p.say(h, fmt.Sprintf("message %d.", i))
	}
	sum, _ := h.node.Room(p.room)
	for path, b := range map[string]*browser{"/gateway/rooms/" + p.room: h.signedIn("olga"), p.path(): h.watches(p)} {
		page := b.get(path).body
		require.NotContains(t, page, " data-old")
		require.NotContains(t, page, "To the newest")
		page = b.get(path + "?before=50").body
		require.Contains(t, page, fmt.Sprintf(`data-since="%d"`, sum.Version))
		require.Contains(t, page, " data-old")
		require.Contains(t, page, `<a href="`+path+`">To the newest`)
	}
}

// However much agents put into a room, what stands beside the conversation stays small: it is sent again with every change.
func TestWhatStandsBesideARoomIsBounded(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	for i := range 60 {
		_, err := h.node.CreateDocument(t.Context(), room, core.CreateDocument{
			Agent: ada.ID, Name: fmt.Sprint("paper ", i), Description: strings.Repeat("<", 4000), Content: "c",
		}, nil)
		require.NoError(t, err)
		err = h.node.DefineRole(t.Context(), room, core.DefineRole{Actor: ada.ID, Name: fmt.Sprint(strings.Repeat("<", 100), i)}, nil)
		require.NoError(t, err)
	}
	page := h.signedIn("karl").get("/gateway/rooms/" + room)
	require.Equal(t, http.StatusOK, page.status)
	_, beside, _ := strings.Cut(page.body, "<aside")
	beside, _, _ = strings.Cut(beside, "</aside>")
	require.Less(t, len(beside), 24<<10)
	require.Regexp(t, `and \d+ more`, beside)
	require.Contains(t, beside, "paper 0")
}
