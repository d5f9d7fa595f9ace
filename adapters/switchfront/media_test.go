package switchfront_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/mediadir"
	agentswitch "stele/switch"
)

const smallCap = 4096

// withMedia is a gateway whose attachments lie in a folder of the test and have at most smallCap bytes.
func withMedia(t *testing.T, s setup) (*gateway, string) {
	t.Helper()
	dir := t.TempDir()
	store, err := mediadir.Open(dir, mediadir.Options{MaxBytes: smallCap})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s.node.Media = store
	return newGateway(t, s), dir
}

// part is one part of a form. Without a filename it is a text.
type part struct{ name, filename, content string }

func form(t testing.TB, parts ...part) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		disposition := fmt.Sprintf(`form-data; name=%q`, p.name)
		if p.filename != "" {
			disposition = multipart.FileContentDisposition(p.name, p.filename)
		}
		to, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {"text/html"}})
		require.NoError(t, err)
		_, err = io.WriteString(to, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String(), "Content-Type: " + w.FormDataContentType()
}

func (a *agent) upload(room string, parts ...part) reply {
	a.g.t.Helper()
	body, contentType := form(a.g.t, parts...)
	return a.g.do("POST", a.path("/rooms/"+room+"/media"), a.key, body, contentType)
}

func (a *agent) download(room, mxc string, headers ...string) reply {
	a.g.t.Helper()
	return a.g.do("GET", a.path("/rooms/"+room+"/media?mxc="+url.QueryEscape(mxc)), a.key, "", headers...)
}

func mediaOf(t testing.TB, r reply) agentswitch.MediaAnswer {
	t.Helper()
	require.Equal(t, 200, r.status, r.body)
	var out agentswitch.MediaAnswer
	require.NoError(t, json.Unmarshal([]byte(r.body), &out))
	return out
}

func stored(t testing.TB, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return len(entries)
}

const png = "\x89PNG\r\n\x1a\n and more"

// TestFilesArriveAsOneMessage: in the order of the form, the single file first, with sniffed types.
func TestFilesArriveAsOneMessage(t *testing.T) {
	g, _ := withMedia(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	heard := b.open("c-b", "&rooms="+room).hello()
	out := mediaOf(t, a.upload(room,
		part{"files", "one.txt", "first"}, part{"caption", "", "for @bob"}, part{"files", `..\dir/two "x".bin`, "\x01\x02"},
		part{"ignored", "", "x"}, part{"file", "zero.png", png}))
	require.True(t, out.OK)
	require.Len(t, out.Attachments, 3)
	require.Equal(t, out.Attachments[0].MXC, out.MXC)
	kind, data := event(t, heard.next())
	require.Equal(t, "message", kind)
	payload := data["payload"].(map[string]any)
	require.Equal(t, true, payload["addressed"])
	require.Equal(t, "for @bob", payload["body"])
	require.Equal(t, out.EventID, payload["message_id"])
	var want []any
	for i, f := range []struct {
		name, mime, msgtype string
		size                float64
	}{
		{"zero.png", "image/png", "m.image", float64(len(png))},
		{"one.txt", "text/plain; charset=utf-8", "m.file", 5},
		{`two "x".bin`, "application/octet-stream", "m.file", 2},
	} {
		got := out.Attachments[i]
		require.Equal(t, agentswitch.PostedFile{EventID: out.EventID, MXC: got.MXC, Filename: f.name}, got)
		want = append(want, map[string]any{
			"filename": f.name, "mimetype": f.mime, "size": f.size, "mxc": got.MXC, "msgtype": f.msgtype,
		})
	}
	require.Equal(t, want, payload["attachments"])

	b.must("c-b", "connect_to_room", `{"room_id":"`+room+`"}`)
	threads := b.must("c-b", "read_context", `{"limit":1}`)["threads"].([]any)
	root := threads[0].(map[string]any)["root"].(map[string]any)
	require.Equal(t, want, root["attachments"])
	require.Equal(t, "for @bob", root["body"])

	// Without a caption the body is the first file's name, which addresses nobody.
	require.Equal(t, 200, a.upload(room, part{"files", "@bob.png", png}).status)
	_, data = event(t, heard.next())
	payload = data["payload"].(map[string]any)
	require.Equal(t, "@bob.png", payload["body"])
	require.Equal(t, false, payload["addressed"])
}

func TestFilesInAThread(t *testing.T) {
	g, dir := withMedia(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", a, b), a.room("", a)
	root, _ := a.post(room, "root")
	answered, _ := a.post(other, "elsewhere")
	heard := b.open("c-b", "&rooms="+room+"&start_from=head").hello()
	r := a.upload(room, part{"file", "a.txt", "x"}, part{"thread_id", "", root})
	require.Equal(t, 200, r.status, r.body)
	_, data := event(t, heard.next())
	require.Equal(t, root, data["payload"].(map[string]any)["thread_id"])
	for _, thread := range []string{"msg_none", answered} {
		r := a.upload(room, part{"file", "a.txt", "x"}, part{"thread_id", "", thread})
		require.Equal(t, 400, r.status, r.body)
	}
	require.Equal(t, 1, stored(t, dir), "what was not posted is not kept")
}

// TestUploadRefusals: nothing is posted and nothing kept, however much had arrived before.
func TestUploadRefusals(t *testing.T) {
	g, dir := withMedia(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign := a.room("", a, b), b.room("", b)
	before := g.node.Applied()
	good := part{"files", "good.txt", "x"}
	many := make([]part, core.MaxAttachments+1)
	for i := range many {
		many[i] = good
	}
	for name, tc := range map[string]struct {
		room   string
		parts  []part
		status int
		says   string
	}{
		"no part":        {room, nil, 400, "at least one file"},
		"texts only":     {room, []part{{"caption", "", "x"}}, 400, "at least one file"},
		"empty file":     {room, []part{good, {"files", "none.txt", ""}}, 400, `File \"none.txt\" is empty`},
		"too large":      {room, []part{good, {"files", "big.txt", strings.Repeat("x", smallCap+1)}}, 400, "at most 4096 bytes"},
		"too many":       {room, many, 400, "At most 32 files"},
		"two singles":    {room, []part{{"file", "a", "x"}, {"file", "b", "x"}}, 400, "Send one part"},
		"long caption":   {room, []part{good, {"caption", "", strings.Repeat("x", core.MaxMessageBytes+1)}}, 400, "is longer than"},
		"broken caption": {room, []part{good, {"caption", "", "\xff"}}, 400, "valid UTF-8"},
		"no such room":   {"room_none", []part{good}, 400, "no such room"},
		"not a member":   {foreign, []part{good}, 403, "not a member"},
	} {
		t.Run(name, func(t *testing.T) {
			r := a.upload(tc.room, tc.parts...)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.says)
			require.Contains(t, r.body, `{"detail":"`)
		})
	}
	for name, send := range map[string]struct{ body, contentType string }{
		"no form":      {`{}`, "Content-Type: application/json"},
		"no boundary":  {`x`, "Content-Type: multipart/form-data"},
		"no type":      {`x`, "X-Nothing: 1"},
		"torn":         {"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc", "Content-Type: multipart/form-data; boundary=b"},
		"broken parts": {"--b\r\nnonsense", "Content-Type: multipart/form-data; boundary=b"},
	} {
		t.Run(name, func(t *testing.T) {
			r := g.do("POST", a.path("/rooms/"+room+"/media"), a.key, send.body, send.contentType)
			require.Equal(t, 400, r.status, r.body)
		})
	}
	body, contentType := form(t, good)
	require.Equal(t, 403, g.do("POST", "/agents/"+b.id+"/rooms/"+room+"/media", a.key, body, contentType).status)
	require.Equal(t, 401, g.do("POST", a.path("/rooms/"+room+"/media"), g.token, body, contentType).status)
	require.Equal(t, before, g.node.Applied(), "nothing was posted")
	require.Equal(t, 0, stored(t, dir), "nothing is kept")
	exact := a.upload(room, part{"file", "exact.txt", strings.Repeat("x", smallCap)})
	require.Equal(t, 200, exact.status, "the cap itself is allowed")
}

func TestDownload(t *testing.T) {
	g, _ := withMedia(t, setup{})
	a, b, c := g.register("alice"), g.register("bob"), g.register("cid")
	room, other := a.room("", a, b), a.room("", a, b)
	page := "<!DOCTYPE html><script>alert(1)</script>"
	out := mediaOf(t, a.upload(room, part{"files", "Ünïcode \u202e;%.html", page}, part{"files", "plain.txt", "0123456789"}))

	r := b.download(room, out.MXC)
	require.Equal(t, 200, r.status)
	require.Equal(t, page, r.body)
	require.Equal(t, "text/html; charset=utf-8", r.header.Get("Content-Type"), "sniffed, whatever was claimed")
	require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	require.Equal(t, "sandbox; default-src 'none'", r.header.Get("Content-Security-Policy"))
	require.Equal(t, `inline; filename="_n_code ;%.html"; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%3B%25.html`, r.header.Get("Content-Disposition"))
	plain := b.download(room, out.Attachments[1].MXC)
	require.Equal(t, `inline; filename="plain.txt"`, plain.header.Get("Content-Disposition"))
	require.Equal(t, "10", plain.header.Get("Content-Length"))
	ranged := b.download(room, out.Attachments[1].MXC, "Range: bytes=2-4")
	require.Equal(t, 206, ranged.status)
	require.Equal(t, "234", ranged.body)

	id := strings.TrimPrefix(out.MXC, "mxc://stele/")
	another := out.MXC[:len(out.MXC)-1] + "0"
	if another == out.MXC {
		another = out.MXC[:len(out.MXC)-1] + "1"
	}
	for name, tc := range map[string]struct {
		who       *agent
		room, mxc string
		status    int
	}{
		"posted in another room": {b, other, out.MXC, 404},
		"no such room":           {b, "room_none", out.MXC, 404},
		"no member":              {c, room, out.MXC, 403},
		"no such file":           {b, room, another, 404},
		"another server":         {b, room, "mxc://elsewhere/" + id, 404},
		"no pointer":             {b, room, id, 404},
		"a path":                 {b, room, "mxc://stele/../stele.db", 404},
		"empty":                  {b, room, "", 404},
	} {
		t.Run(name, func(t *testing.T) {
			r := tc.who.download(tc.room, tc.mxc)
			require.Equal(t, tc.status, r.status, r.body)
		})
	}
	missing := g.do("GET", b.path("/rooms/"+room+"/media"), b.key, "")
	require.Equal(t, 422, missing.status)
	require.Equal(t, `{"detail":[{"type":"missing","loc":["query","mxc"],"msg":"Field required","input":null}]}`, missing.body)
}

func TestUploadIsIdempotent(t *testing.T) {
	g, dir := withMedia(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	send := func(parts ...part) reply {
		body, contentType := form(t, parts...)
		return g.do("POST", a.path("/rooms/"+room+"/media"), a.key, body, contentType, "Idempotency-Key: k")
	}
	first := send(part{"file", "a.txt", "x"}, part{"caption", "", "hi"})
	require.Equal(t, 200, first.status, first.body)
	after := g.node.Applied()
	require.Equal(t, first.body, send(part{"file", "a.txt", "x"}, part{"caption", "", "hi"}).body)
	for _, other := range [][]part{
		{{"file", "a.txt", "y"}, {"caption", "", "hi"}},
		{{"file", "b.txt", "x"}, {"caption", "", "hi"}},
		{{"file", "a.txt", "x"}, {"caption", "", "ho"}},
		{{"file", "a.txt", "x"}, {"file", "", "x"}},
	} {
		require.NotEqual(t, 200, send(other...).status)
	}
	require.Equal(t, after, g.node.Applied())
	require.Equal(t, 1, stored(t, dir))
}

// TestUploadCutOff: a client that goes in the middle leaves nothing behind.
func TestUploadCutOff(t *testing.T) {
	g, dir := withMedia(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	before := g.node.Applied()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=b\r\n"+
		"Content-Length: 3000\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n%s",
		a.path("/rooms/"+room+"/media"), a.key, strings.Repeat("x", 1000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return stored(t, dir) == 1 }, patience, time.Millisecond, "it is on its way to the disk")
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return stored(t, dir) == 0 }, patience, time.Millisecond)
	require.Equal(t, before, g.node.Applied())
}

// TestMediaWithoutAStore: a gateway without a place for files says so.
func TestMediaWithoutAStore(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	require.Equal(t, 503, a.upload(room, part{"file", "a", "x"}).status)
	require.Equal(t, 404, a.download(room, "mxc://stele/med_1").status)
}

// TestOrphanedMediaIsDestroyed: what no message carries after an hour is gone, what one carries stays.
func TestOrphanedMediaIsDestroyed(t *testing.T) {
	clock := newClock()
	dir := t.TempDir()
	store, err := mediadir.Open(dir, mediadir.Options{Now: clock.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, Media: store, SweepEvery: time.Millisecond, LeaseTTL: 24 * time.Hour}})
	a := g.register("alice")
	room := a.room("", a)
	kept := mediaOf(t, a.upload(room, part{"file", "kept.txt", "kept"}))
	_, err = g.node.PutMedia(context.Background(), strings.NewReader("orphan"))
	require.NoError(t, err)
	require.Equal(t, 2, stored(t, dir))
	clock.Advance(61 * time.Minute)
	require.Eventually(t, func() bool { return stored(t, dir) == 1 }, patience, time.Millisecond)
	require.Equal(t, "kept", a.download(room, kept.MXC).body)
}

func TestFilenames(t *testing.T) {
	g, _ := withMedia(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	for given, want := range map[string]string{
		"a.txt": "a.txt", "../../etc/passwd": "passwd", `C:\dir\b.txt`: "b.txt", "..": "file", "...": "file", "dir/": "dir",
		strings.Repeat("é", 200) + ".txt": strings.Repeat("é", 127),
	} {
		out := mediaOf(t, a.upload(room, part{"file", given, "x"}))
		require.Equal(t, want, out.Attachments[0].Filename, given)
	}
	// A part that names no file is one all the same.
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--\r\n"
	out := mediaOf(t, g.do("POST", a.path("/rooms/"+room+"/media"), a.key, body, "Content-Type: multipart/form-data; boundary=b"))
	require.Equal(t, "file", out.Attachments[0].Filename)
}

// TestTypesOfFiles: the bytes decide; a claim only refines what they leave open.
func TestTypesOfFiles(t *testing.T) {
	g, _ := withMedia(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	for _, tc := range []struct{ claimed, content, want string }{
		{"text/csv", "a,b\n1,2\n", "text/csv"},
		{"text/csv; charset=utf-8; header=present", "a,b\n", "text/csv"},
		{"application/json", `{"a":1}`, "application/json"},
		{"text/html", "just words", "text/plain; charset=utf-8"},
		{"text/javascript", "alert(1)", "text/plain; charset=utf-8"},
		{"image/png", "just words", "text/plain; charset=utf-8"},
		{"text/csv", "<!DOCTYPE html><p>", "text/html; charset=utf-8"},
		{"image/heic", "\x00\x01\x02", "image/heic"},
		{"image/svg+xml", "\x00\x01\x02", "application/octet-stream"},
		{"text/html", "\x00\x01\x02", "application/octet-stream"},
		{"text/plain", png, "image/png"},
		{"nonsense//", "words", "text/plain; charset=utf-8"},
		{"", "words", "text/plain; charset=utf-8"},
	} {
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\nContent-Type: " + tc.claimed +
			"\r\n\r\n" + tc.content + "\r\n--b--\r\n"
		out := mediaOf(t, g.do("POST", a.path("/rooms/"+room+"/media"), a.key, body, "Content-Type: multipart/form-data; boundary=b"))
		require.Equal(t, tc.want, a.download(room, out.MXC).header.Get("Content-Type"), "%+v", tc)
	}
}
