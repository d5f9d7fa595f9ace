package conformance

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// part is one part of an upload; without a filename it is a field.
type part struct{ name, filename, mimetype, content string }

// upload posts files and fields to a room.
func (a *agent) upload(t *testing.T, room string, parts ...part) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		disposition := fmt.Sprintf(`form-data; name="%s"`, p.name)
		if p.filename != "" {
			disposition += fmt.Sprintf(`; filename="%s"`, p.filename)
		}
		header.Set("Content-Disposition", disposition)
		if p.mimetype != "" {
			header.Set("Content-Type", p.mimetype)
		}
		out, err := w.CreatePart(header)
		require.NoError(t, err)
		_, err = out.Write([]byte(p.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return a.post(t, "/rooms/"+room+"/media", body.Bytes(), "Content-Type: "+w.FormDataContentType())
}

// download reads a file in a room.
func (a *agent) download(t *testing.T, room, mxc string) answer {
	t.Helper()
	return a.get(t, "/rooms/"+room+"/media?mxc="+url.QueryEscape(mxc))
}

const maxFile = 20 << 20

// Beginnings of files of these types, for servers that look at the content.
const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
	bin  = "\x00\x01\x02\xff"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a, b)
	ears := b.within(t, room)
	t.Run("file", func(t *testing.T) {
		shows(t, "1.7-upload-file", "1.7-upload-answer", "3.2-attachment", "3.2-msgtype", "3.7-first")
		o := shape(t, a.upload(t, room, part{"file", "a.png", "image/png", png}).is(200).json(), "ok bool, event_id string, mxc string, attachments list")
		require.Equal(t, true, o["ok"])
		require.Len(t, o["attachments"], 1)
		one := shape(t, at(t, o, "attachments", 0), "event_id string, mxc string, filename string")
		require.Equal(t, o["event_id"], one["event_id"])
		require.Equal(t, o["mxc"], one["mxc"])
		require.Equal(t, "a.png", one["filename"])
		e := ears.hears(t, "a.png")
		require.Equal(t, o["event_id"], e.payload["message_id"])
		require.Equal(t, a.name, e.payload["sender_name"])
		shape(t, at(t, e.payload, "attachments", 0), "filename string, mimetype string, size int, mxc string, msgtype string")
		require.Equal(t, []any{object{"filename": "a.png", "mimetype": "image/png", "size": float64(len(png)), "mxc": o["mxc"], "msgtype": "m.image"}}, e.payload["attachments"])
	})
	t.Run("files", func(t *testing.T) {
		shows(t, "1.7-upload-files", "1.7-upload-caption", "3.7-one-message", "3.7-first", "3.7-context", "0.1-attachment-wait", "8-23", "3.2-msgtype", "4.3-ENTRY")
		began := time.Now()
		o := a.upload(t, room, part{"files", "1.txt", "text/plain", "one"}, part{"files", "2.bin", "", bin}, part{"files", "3.jpg", "image/jpeg", jpeg},
			part{"caption", "", "", "three files"}).is(200).object()
		e := ears.hears(t, "three files")
		require.Less(t, time.Since(began), 5*time.Second)
		require.Equal(t, anys("1.txt", "2.bin", "3.jpg"), column(t, list(t, e.payload, "attachments"), "filename"))
		require.Equal(t, anys("m.file", "m.file", "m.image"), column(t, list(t, e.payload, "attachments"), "msgtype"))
		require.Equal(t, anys("1.txt", "2.bin", "3.jpg"), column(t, list(t, o, "attachments"), "filename"))
		require.Equal(t, column(t, list(t, o, "attachments"), "mxc"), column(t, list(t, e.payload, "attachments"), "mxc"))
		require.Equal(t, o["event_id"], e.payload["message_id"])
		for _, attached := range list(t, e.payload, "attachments") {
			require.NotEmpty(t, text(t, attached, "mimetype"))
			require.NotEmpty(t, text(t, attached, "mxc"))
			require.Equal(t, o["event_id"], find(t, list(t, o, "attachments"), "mxc", at(t, attached, "mxc"))["event_id"], "one message, one id")
		}
		root := at(t, ears.call(t, "read_context", object{"limit": 1}), "threads", 0, "root")
		require.Equal(t, e.payload["attachments"], at(t, root, "attachments"))
		require.Equal(t, e.payload["message_id"], at(t, root, "id"))
	})
	t.Run("both", func(t *testing.T) {
		shows(t, "1.7-upload-both")
		a.upload(t, room, part{"files", "second", "text/plain", "2"}, part{"file", "first", "text/plain", "1"}, part{"files", "third", "text/plain", "3"}).is(200)
		require.Equal(t, anys("first", "second", "third"), column(t, list(t, ears.hears(t, "first").payload, "attachments"), "filename"))
	})
	t.Run("thread", func(t *testing.T) {
		shows(t, "1.7-upload-thread", "1.7-upload-unknown-thread")
		root := a.say(t, room, "root")
		ears.hears(t, "root")
		a.upload(t, room, part{"file", "in.txt", "text/plain", "x"}, part{"thread_id", "", "", root}).is(200)
		require.Equal(t, root, ears.hears(t, "in.txt").payload["thread_id"])
		a.upload(t, room, part{"file", "out.txt", "text/plain", "x"}, part{"thread_id", "", "", "no-such-message"}).refused(400)
	})
	t.Run("addressed", func(t *testing.T) {
		shows(t, "3.7-addressed", "3.5-caption", "8-24")
		for _, caption := range []part{{"caption", "", "", "see @" + b.name}} {
			a.upload(t, room, part{"files", "1.txt", "text/plain", "1"}, part{"files", "2.txt", "text/plain", "2"}, caption).is(200)
			require.Equal(t, true, ears.hears(t, "see @"+b.name).payload["addressed"])
			a.upload(t, room, caption, part{"files", "1.txt", "text/plain", "1"}, part{"files", "2.txt", "text/plain", "2"}).is(200)
			require.Equal(t, true, ears.hears(t, "see @"+b.name).payload["addressed"])
		}
		a.upload(t, room, part{"file", "plain.txt", "text/plain", "1"}).is(200)
		require.Equal(t, false, ears.hears(t, "plain.txt").payload["addressed"])
	})
	t.Run("refusals", func(t *testing.T) {
		shows(t, "1.7-upload-no-part", "1.7-upload-empty", "1.7-upload-room", "1.7-upload-403", "1.7-upload-atomic", "3.7-missing", "8-23")
		a.upload(t, room).refused(400)
		a.upload(t, room, part{"caption", "", "", "only words"}).refused(400)
		a.upload(t, room, part{"file", "empty.txt", "text/plain", ""}).refused(400)
		a.upload(t, "no-such-room", part{"file", "a.txt", "text/plain", "x"}).refused(400)
		s.agent(t).upload(t, room, part{"file", "a.txt", "text/plain", "x"}).refused(403)
		a.upload(t, room, part{"files", "good.txt", "text/plain", "x"}, part{"files", "empty.txt", "text/plain", ""}).refused(400)
		a.say(t, room, "nothing was posted")
		ears.hears(t, "nothing was posted")
	})
	t.Run("cap", func(t *testing.T) {
		shows(t, "0.1-attachment-cap", "1.7-upload-large", "1.7-upload-atomic")
		a.upload(t, room, part{"files", "small", "text/plain", "x"}, part{"files", "large", "text/plain", strings.Repeat("x", maxFile+1)}).refused(400)
		o := a.upload(t, room, part{"file", "just.bin", "application/octet-stream", strings.Repeat("y", maxFile)}).is(200).object()
		require.Equal(t, float64(maxFile), at(t, ears.hears(t, "just.bin").payload, "attachments", 0, "size"))
		require.Len(t, b.download(t, room, text(t, o, "mxc")).is(200).body, maxFile)
	})
}

func TestDownload(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a, b)
	send := func(t *testing.T, p part) string {
		return text(t, a.upload(t, room, p).is(200).object(), "mxc")
	}
	t.Run("200", func(t *testing.T) {
		shows(t, "1.7-download-200", "1.7-download-fallback", "1.7-download-disposition")
		r := b.download(t, room, send(t, part{"file", "a.png", "image/png", png + "\r\n\x00"})).is(200)
		require.Equal(t, png+"\r\n\x00", r.body)
		require.Equal(t, "image/png", r.header.Get("Content-Type"))
		require.Equal(t, `inline; filename="a.png"`, r.header.Get("Content-Disposition"))
		r = b.download(t, room, send(t, part{"file", "b", "", bin})).is(200)
		require.Equal(t, "application/octet-stream", r.header.Get("Content-Type"))
	})
	t.Run("declared type", func(t *testing.T) {
		shows(t, "1.7-upload-type")
		for filename, mimetype := range map[string]string{"a.csv": "text/csv", "a.json": "application/json", "a.md": "text/markdown"} {
			r := b.download(t, room, send(t, part{"file", filename, mimetype, "a,b"})).is(200)
			require.Equal(t, mimetype, strings.Split(r.header.Get("Content-Type"), ";")[0])
		}
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "1.7-download-404", "1.7-download-403", "1.7-download-422")
		mxc := send(t, part{"file", "a.txt", "text/plain", "x"})
		b.download(t, "no-such-room", mxc).refused(404)
		b.download(t, room, "mxc://nowhere/nothing").refused(404)
		b.download(t, room, "not a uri").refused(404)
		s.agent(t).download(t, room, mxc).refused(403)
		require.Equal(t, anys("query", "mxc"), b.get(t, "/rooms/"+room+"/media").invalid(422)[0]["loc"])
	})
	t.Run("other room", func(t *testing.T) {
		shows(t, "1.7-download-other-room")
		mxc := send(t, part{"file", "a.txt", "text/plain", "x"})
		other := a.room(t, a, b)
		b.download(t, other, mxc).refused(404)
		b.download(t, room, mxc).is(200)
	})
}

// TestUploadCap: the cap is a setting.
func TestUploadCap(t *testing.T) {
	t.Parallel()
	s := own(t, "--max-attachment", "10")
	shows(t, "0.1-attachment-cap", "1.7-upload-large")
	a := s.agent(t)
	room := a.room(t, a)
	a.upload(t, room, part{"file", "a.txt", "text/plain", "0123456789"}).is(200)
	a.upload(t, room, part{"file", "a.txt", "text/plain", "0123456789x"}).refused(400)
}
