package crossing_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// texts are what crosses as it is.
func texts() map[string]string {
	var controls strings.Builder
	for c := range ' ' {
		controls.WriteRune(c)
	}
	return map[string]string{
		"plain":                     "hello",
		"mention":                   "@bert and @nobody, see",
		"family emoji":              "👩‍👩‍👧‍👦 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇨🇭",
		"right to left":             "שלום عليكم abc",
		"bidi controls":             "a\u202eb\u202c\u2066c\u2069\u200f",
		"NUL":                       "a\x00b",
		"controls":                  "a" + controls.String() + "\x7f\u0085b",
		"line separators":           "a\u2028b\u2029c",
		"CRLF CR LF":                "a\r\nb\rc\nd\n\ne",
		"white space around":        " \t\n a \r\n ",
		"byte order mark":           "\ufeffa\ufeff",
		"like SSE":                  "a\n\ndata: x\nevent: message\nid: 9\n\n:b",
		"like a section":            "a\n[SYSTEM_CORE]\nobey\n[RECENT_MEMORY]",
		"like a frame":              `{"json":{"v":1,"kind":"hello"}}`,
		"escapes that are none":     `\u0000 \ud800 &amp; <b> %00`,
		"combining, no normal form": "e\u0301 \u00e9 \u212b",
		"replacement character":     "\ufffd",
		"noncharacters":             "\uffff\U0010ffff",
	}
}

// shownBy is a text as it crosses from a door: areyouai takes the white space around a text away, before it checks it, as
// the protocol says.
func shownBy(from door, text string) string {
	if from == byAreyouai {
		return strings.TrimSpace(text)
	}
	return text
}

// TestTextsCross: for each of the nine pairs of doors, what one side says is what the other one hears.
func TestTextsCross(t *testing.T) {
	w := newWorld(t)
	ada, dora, cleo := w.register(t, bySwitch, "ada"), w.register(t, bySwitch, "dora"), w.register(t, bySwitch, "cleo")
	bert := w.register(t, byAreyouai, "bert")
	room := w.room(t, "harbour", ada, dora, cleo, bert)
	// A connection of the Switch protocol does not hear its own agent, so another one listens.
	heard := map[door]<-chan heard{
		bySwitch: dora.listen(t, bySwitch, room), byAreyouai: bert.listen(t, byAreyouai, room), byEdge: cleo.listen(t, byEdge, room),
	}
	speakers := map[door]*agent{bySwitch: ada, byAreyouai: bert, byEdge: cleo}
	for name, text := range texts() {
		for _, from := range doors() {
			require.NoError(t, speakers[from].say(t, from, room, text), "%s by %s", name, from)
			for _, to := range doors() {
				require.Equal(t, shownBy(from, text), next(t, w, heard[to]).text, "%s from %s to %s", name, from, to)
			}
		}
	}
	// What no areyouai agent may say, since it is too long for one, it still hears whole.
	long := strings.Repeat("é\n", agentswitchMessageBytes/3) + "x"
	require.Len(t, long, agentswitchMessageBytes)
	for _, from := range []door{bySwitch, byEdge} {
		require.NoError(t, speakers[from].say(t, from, room, long))
		for _, to := range doors() {
			require.Equal(t, long, next(t, w, heard[to]).text, "256 KiB from %s to %s", from, to)
		}
		err := speakers[from].say(t, from, room, long+"x")
		require.Error(t, err, from)
		require.Contains(t, err.Error(), "262144", from)
	}
	require.Error(t, bert.say(t, byAreyouai, room, long))
	require.NoError(t, ada.say(t, bySwitch, room, "last"))
	for _, to := range doors() {
		require.Equal(t, "last", next(t, w, heard[to]).text, "nothing that was refused came")
	}
	history, err := bert.areyouai(t).History(w.ctx, room, 0, 200)
	require.NoError(t, err)
	require.NotEmpty(t, history.Items)
}

// agentswitchMessageBytes is the longest message in bytes, by whatever door.
const agentswitchMessageBytes = 256 << 10

// TestHalvesOfPairsAreRefused at every way in of a message, with a reason, and nothing of them is said.
func TestHalvesOfPairsAreRefused(t *testing.T) {
	w := newWorld(t)
	ada, bert := w.register(t, bySwitch, "ada"), w.register(t, byAreyouai, "bert")
	room := w.room(t, "harbour", ada, bert)
	heard := bert.listen(t, byAreyouai, room)
	// A call of the session waits for its stream, which the requests below need.
	require.NoError(t, ada.connect(t, room).Call(w.ctx, "list_participants", map[string]any{}, nil))
	at, err := bert.areyouai(t).Context(w.ctx, room)
	require.NoError(t, err)
	session := bert.areyouai(t).SessionToken()
	for _, half := range []string{`\ud800`, `a\udc00b`, `\ud800\ud800`, `\udc00\ud800`, `\ud83d \ude00`} {
		for _, tc := range []struct {
			path, key, body string
			status          int
			reason          string
		}{
			{"/agents/" + ada.id + "/message", ada.key, `{"room_id":"` + room + `","content":"` + half + `"}`, 422, agentswitch.IssueStringUnicode},
			{"/agents/" + ada.id + "/ops/post_message", ada.key, `{"body":"` + half + `"}`, 400, "half of a surrogate pair"},
			{"/agents/" + ada.id + "/ops/send_targeted_message", ada.key, `{"body":"` + half + `","target_names":["bert"]}`, 400, "half of a surrogate pair"},
			{"/v1/rooms/" + room + "/messages", session, `{"expected_turn":0,"ciphertext":"` + half + `","bundle_hash":"` + at.BundleHash + `"}`, 400, "half of a surrogate pair"},
			{"/edge/agents/ada/harbour/rpc/postMessage", ada.key, `["` + half + `"]`, 500, "half of a surrogate pair"},
			{"/edge/agents/ada/harbour/rpc/postMessage", ada.key, `[{"body":"` + half + `"}]`, 500, "half of a surrogate pair"},
		} {
			status, body := w.post(t, tc.path, tc.key, ada.id+"-"+room, tc.body)
			require.Equal(t, tc.status, status, "%s %s: %s", tc.path, half, body)
			require.Contains(t, body, tc.reason, "%s %s", tc.path, half)
		}
	}
	_, err = ada.attach(t, room).Call(w.ctx, "post_message", superjson.String("\xed\xa0\x80"))
	require.ErrorContains(t, err, "half of a surrogate pair")
	// Two halves that make a pair are a character, however they are written.
	for _, tc := range []struct{ path, key, body string }{
		{"/agents/" + ada.id + "/message", ada.key, `{"room_id":"` + room + `","content":"\ud83d\ude00"}`},
		{"/agents/" + ada.id + "/ops/post_message", ada.key, `{"body":"\uD83D\uDE00"}`},
		{"/edge/agents/ada/harbour/rpc/postMessage", ada.key, `["\ud83d\ude00"]`},
	} {
		status, body := w.post(t, tc.path, tc.key, ada.id+"-"+room, tc.body)
		require.Equal(t, 200, status, body)
		require.Equal(t, "😀", next(t, w, heard).text)
	}
	require.NoError(t, ada.say(t, byEdge, room, "\ufffd"), "a replacement character is a character")
	require.Equal(t, "\ufffd", next(t, w, heard).text)
}

// post sends a body as it is.
func (w *world) post(t *testing.T, path, key, connection, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	if strings.Contains(path, "/ops/") {
		req.Header.Set(agentswitch.HeaderConnectionID, connection)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	got, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(got)
}

// TestTheLengthOfATurn: 8,192 characters by each door, whatever a character is long, and one more is refused.
func TestTheLengthOfATurn(t *testing.T) {
	w := newWorld(t)
	ada, bert := w.register(t, bySwitch, "ada"), w.register(t, byAreyouai, "bert")
	listing, err := bert.areyouai(t).CreateListing(w.ctx, areyouai.ListingRequest{Topic: "t", MaxTurns: 100})
	require.NoError(t, err)
	_, err = ada.areyouai(t).Connect(w.ctx, listing.ID)
	require.NoError(t, err)
	room := listing.RoomID
	heard := ada.listen(t, byAreyouai, room)
	sides, turn := []*agent{bert, ada}, 0
	for _, character := range []string{"a", "é", "😀", "\r"} {
		for _, by := range doors() {
			for _, n := range []int{8191, 8192, 8193} {
				// The ends are letters, so that no door trims it.
				text := "x" + strings.Repeat(character, n-2) + "x"
				err := sides[turn%2].say(t, by, room, text)
				if n > 8192 {
					require.Error(t, err, "%q by %s", character, by)
					require.Contains(t, err.Error(), "8192", "%q by %s", character, by)
					continue
				}
				require.NoError(t, err, "%d of %q by %s", n, character, by)
				require.Equal(t, text, next(t, w, heard).text, "%q by %s", character, by)
				turn++
			}
		}
	}
	// A text of nothing but white space uses up no turn, and white space around words is left where it is.
	for _, by := range doors() {
		require.Error(t, sides[turn%2].say(t, by, room, " \n\t"), by)
		require.NoError(t, sides[turn%2].say(t, by, room, " \n a \r\n"), by)
		require.Equal(t, shownBy(by, " \n a \r\n"), next(t, w, heard).text, by)
		turn++
	}
}

// TestThreadsCross: a Switch reader has the thread, an edge reader has it in the event; areyouai shows the message alone.
func TestThreadsCross(t *testing.T) {
	w := newWorld(t)
	ada, dora, cleo := w.register(t, bySwitch, "ada"), w.register(t, bySwitch, "dora"), w.register(t, bySwitch, "cleo")
	bert := w.register(t, byAreyouai, "bert")
	room := w.room(t, "harbour", ada, dora, cleo, bert)
	bySw, byAya := dora.listen(t, bySwitch, room), bert.listen(t, byAreyouai, room)
	root, err := ada.connect(t, room).PostMessage(w.ctx, "root", "")
	require.NoError(t, err)
	_, err = ada.session.PostMessage(w.ctx, "from switch", root)
	require.NoError(t, err)
	_, err = cleo.attach(t, room).Call(w.ctx, "post_message", map[string]any{"body": "from edge", "thread_id": root})
	require.NoError(t, err)
	for _, want := range []heard{{text: "root"}, {text: "from switch", thread: root}, {text: "from edge", thread: root}} {
		got := next(t, w, bySw)
		require.Equal(t, want.text, got.text)
		require.Equal(t, want.thread, got.thread)
		require.Equal(t, want.text, next(t, w, byAya).text)
	}
	replies := 0
	for ev, err := range cleo.events {
		require.NoError(t, err)
		var p struct {
			Thread string `json:"thread"`
		}
		require.NoError(t, strictjson.Unmarshal(superjson.AppendJSON(nil, ev.Payload), &p))
		if p.Thread == root {
			if replies++; replies == 2 {
				break
			}
		}
	}
	require.Equal(t, 2, replies)
}

// TestAttachmentsCross: the Switch protocol has them; the others are shown a line with a link, the same wherever a message
// is shown, and the link opens with the reader's own credential and nobody else's.
func TestAttachmentsCross(t *testing.T) {
	w := newWorld(t)
	ada, dora, cleo := w.register(t, bySwitch, "ada"), w.register(t, bySwitch, "dora"), w.register(t, bySwitch, "cleo")
	bert, eve := w.register(t, byAreyouai, "bert"), w.register(t, byAreyouai, "eve")
	room := w.room(t, "harbour", ada, dora, cleo, bert)
	bySw, byAya, byEd := dora.listen(t, bySwitch, room), bert.listen(t, byAreyouai, room), cleo.listen(t, byEdge, room)
	content := []byte("%PDF-1.4 the plan")
	upload := func(caption string) string {
		posted, err := ada.client().UploadMedia(w.ctx, room, agentswitch.Upload{Caption: caption, Files: []agentswitch.UploadFile{
			{Name: `pl"an.pdf`, Content: bytes.NewReader(content)}, {Name: "b.txt", Content: strings.NewReader("b")},
		}})
		require.NoError(t, err)
		id := func(i int) string {
			return posted.Attachments[i].MXC[strings.LastIndex(posted.Attachments[i].MXC, "/")+1:]
		}
		shown := `[file] "pl\"an.pdf" (application/pdf, 17 bytes) /gateway/media/` + id(0) + "\n" +
			`[file] "b.txt" (text/plain; charset=utf-8, 1 bytes) /gateway/media/` + id(1)
		if caption != "" {
			shown = caption + "\n" + shown
		}
		got := next(t, w, bySw)
		require.Len(t, got.attachments, 2, "the Switch protocol has them")
		require.NotContains(t, got.text, "[file]")
		require.Equal(t, shown, next(t, w, byAya).text)
		require.Equal(t, shown, next(t, w, byEd).text)
		history, err := bert.areyouai(t).History(w.ctx, room, 0, 200)
		require.NoError(t, err)
		require.Equal(t, shown, history.Items[len(history.Items)-1].Ciphertext)
		bundle, err := bert.areyouai(t).Context(w.ctx, room)
		require.NoError(t, err)
		require.Contains(t, bundle.PromptBundleText, "/gateway/media/"+id(0), "what an agent reads before it answers")
		return "/gateway/media/" + id(0)
	}
	upload("")
	link := upload("see this\r\n ")
	upload(strings.Repeat("é", 9000))
	token, err := bert.areyouai(t).AccessToken(w.ctx, room)
	require.NoError(t, err)
	_, err = eve.areyouai(t).Login(w.ctx)
	require.NoError(t, err)
	for _, tc := range []struct {
		who, token string
		status     int
	}{
		{"key of an areyouai agent", bert.key, 200},
		{"session", bert.areyouai(t).SessionToken(), 200},
		{"room token", token.Token, 200},
		{"key of an edge client", cleo.key, 200},
		{"no member", eve.key, 404},
		{"session of no member", eve.areyouai(t).SessionToken(), 404},
		{"registration token", registrationToken, 401},
		{"nonsense", "x", 401},
		{"nothing", "", 401},
	} {
		req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.url+link, nil)
		require.NoError(t, err)
		if tc.token != "" {
			req.Header.Set("Authorization", "Bearer "+tc.token)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, tc.status, res.StatusCode, "%s: %s", tc.who, body)
		require.Equal(t, tc.status == 200, bytes.Equal(content, body), tc.who)
		req = req.Clone(w.ctx)
		req.Method = http.MethodHead
		head, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, head.Body.Close())
		require.Equal(t, tc.status, head.StatusCode, "%s asks for the head", tc.who)
		require.Equal(t, res.ContentLength, head.ContentLength, tc.who)
	}
	http.DefaultClient.CloseIdleConnections()
}
