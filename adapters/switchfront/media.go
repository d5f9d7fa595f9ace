package switchfront

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// attachments shows the files of a message.
func attachments(p *core.MessagePostedEvent) []agentswitch.Attachment {
	if len(p.Attachments) == 0 {
		return nil
	}
	out := make([]agentswitch.Attachment, len(p.Attachments))
	for i, a := range p.Attachments {
		out[i] = agentswitch.Attachment{
			Filename: a.Filename, Mimetype: a.Type, Size: a.Size, MXC: core.MediaURI(a.Media),
			MsgType: agentswitch.AttachmentMsgType(a.Type),
		}
	}
	return out
}

// postMedia answers POST …/rooms/{room_id}/media: files become one message. Either all of them are posted or nothing is.
func (f *Front) postMedia(c echo.Context) error {
	ctx, room := c.Request().Context(), c.Param(paramRoom)
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	if err := f.checkMember(agent, room); err != nil {
		return err
	}
	up := &upload{front: f}
	posted, placed, err := f.receiveAndPost(c, up, agent, room)
	if err != nil || placed.Replayed {
		up.discard(ctx)
	}
	if err != nil {
		return err
	}
	files := up.files
	if placed.Replayed {
		_, first, err := f.node.HistoryOf(room).Message(ctx, posted.Message)
		if err != nil {
			return err
		}
		files = first.Attachments
	}
	return answer(c, mediaAnswer(posted.Message, files))
}

func (f *Front) receiveAndPost(c echo.Context, up *upload, agent, room string) (core.Posted, core.Placed, error) {
	ctx := c.Request().Context()
	if err := up.receive(c); err != nil {
		return core.Posted{}, core.Placed{}, err
	}
	cmd := core.PostMessage{Sender: agent, Text: up.caption, Attachments: up.files}
	if up.thread != "" {
		root, err := f.node.ThreadRoot(ctx, room, up.thread)
		if err != nil {
			return core.Posted{}, core.Placed{}, err
		}
		cmd.Thread = root
	}
	return f.node.PostMessage(ctx, room, cmd, transport.Key(c.Request(), agent, up.digest()))
}

func mediaAnswer(message string, files []core.Attachment) agentswitch.MediaAnswer {
	out := agentswitch.MediaAnswer{OK: true, EventID: message, MXC: core.MediaURI(files[0].Media)}
	for _, a := range files {
		out.Attachments = append(out.Attachments, agentswitch.PostedFile{
			EventID: message, MXC: core.MediaURI(a.Media), Filename: a.Filename,
		})
	}
	return out
}

// getMedia answers GET …/rooms/{room_id}/media: the bytes of a file that was posted in that room.
func (f *Front) getMedia(c echo.Context) error {
	room := c.Param(paramRoom)
	agent, err := actingAgent(c.Request().Context(), c.Param(paramAgent))
	if err != nil {
		return err
	}
	uri, err := agentswitch.ParseMediaQuery(c.QueryParams())
	if err != nil {
		return err
	}
	if err := f.checkMember(agent, room); err != nil {
		return err
	}
	id, ok := core.MediaOf(uri)
	if !ok {
		return core.ErrNoMedia
	}
	return f.serveMedia(c, agent, room, id)
}

// linkedMedia answers GET /gateway/media/{media_id}, the link by which clients of protocols without attachments are shown
// one ([core.MediaPath]). Every credential of a member opens it, a room token for what was posted in its room. To others it
// does not tell what there is.
func (f *Front) linkedMedia(c echo.Context) error {
	token, ok := transport.Bearer(c.Request())
	if !ok {
		return agentswitch.MissingAuthorization()
	}
	cred := f.node.Authenticate(token)
	if cred.Agent == "" {
		return agentswitch.InvalidCredentials()
	}
	id := c.Param(paramMedia)
	room, ok := f.node.MediaRoom(id)
	if !ok || cred.Kind == core.RoomTokenKind && cred.Room != room || !f.node.IsMember(cred.Agent, room) {
		return core.ErrNoMedia
	}
	return f.serveMedia(c, cred.Agent, room, id)
}

// serveMedia answers with the bytes of a file for a member of the room that it was posted in.
func (f *Front) serveMedia(c echo.Context, agent, room, id string) error {
	file, a, err := f.node.OpenMedia(c.Request().Context(), agent, room, id)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	h := c.Response().Header()
	h.Set("Content-Type", contentType(a.Type))
	h.Set("Content-Disposition", disposition(a.Filename))
	// Files come from strangers: should a browser ever be led here, it must neither guess a type nor run anything.
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-cache")
	w := &progressWriter{ResponseWriter: c.Response(), control: http.NewResponseController(c.Response()), timeout: f.opts.ProgressTimeout}
	http.ServeContent(w, c.Request(), "", noTime, file)
	return nil
}

// contentType is the stored type if it can stand in a header.
func contentType(stored string) string {
	if _, _, err := mime.ParseMediaType(stored); err != nil {
		return "application/octet-stream"
	}
	return stored
}

// disposition names a file for whoever saves it: once in plain ASCII, and once exactly when that is not enough.
func disposition(filename string) string {
	var plain strings.Builder
	exact := true
	for _, r := range filename {
		switch {
		case r == '"' || r == '\\' || r < ' ' || r > '~':
			plain.WriteByte('_')
			exact = false
		default:
			plain.WriteRune(r)
		}
	}
	out := fmt.Sprintf(`inline; filename="%s"`, plain.String())
	if !exact {
		out += "; filename*=UTF-8''" + percentEncoded(filename)
	}
	return out
}

// percentEncoded writes a text as an extended parameter of a header (RFC 8187).
func percentEncoded(s string) string {
	const plain = "!#$&+-.^_`|~"
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
