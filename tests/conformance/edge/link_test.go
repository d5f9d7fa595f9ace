package conformance

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

// link is a client that sees the texts on the wire.
type link struct {
	t    *testing.T
	conn *websocket.Conn
	// resp is what the upgrade was answered with.
	resp *http.Response
}

// open opens a socket. Headers are "Name: value".
func (s *server) open(t *testing.T, path string, headers ...string) *link {
	t.Helper()
	return s.dial(t, path, nil, headers)
}

// first opens a socket with its first text on its heels, so that no busy machine makes it miss the grace.
func (s *server) first(t *testing.T, path, text string) *link {
	t.Helper()
	return s.dial(t, path, testsocket.Text(text), nil)
}

func (s *server) dial(t *testing.T, path string, early []byte, headers []string) *link {
	t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}, HTTPClient: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return &eager{Conn: c, early: early}, err
		},
	}}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		o.HTTPHeader.Set(name, value)
	}
	conn, resp, err := websocket.Dial(within(t), "ws"+strings.TrimPrefix(s.url, "http")+path, o)
	require.NoError(t, err, "%v", resp)
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &link{t: t, conn: conn, resp: resp}
}

// eager is a connection that sends some bytes with the first that are written to it.
type eager struct {
	net.Conn
	early []byte
}

func (e *eager) Write(p []byte) (int, error) {
	early := e.early
	e.early = nil
	if _, err := e.Conn.Write(slices.Concat(p, early)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// attach opens an address, attaches, and returns the link and everything up to hello.
func (s *server) attach(t *testing.T, path, token string, more ...string) (*link, []string) {
	t.Helper()
	l := s.first(t, path, attachText(token, more...))
	return l, l.until(helloText)
}

// attached is attach for those who have no need for the bootstrap.
func (s *server) attached(t *testing.T, path, token string, more ...string) *link {
	t.Helper()
	l, _ := s.attach(t, path, token, more...)
	return l
}

func (l *link) send(texts ...string) {
	l.t.Helper()
	for _, x := range texts {
		require.NoError(l.t, l.conn.Write(within(l.t), websocket.MessageText, []byte(x)))
	}
}

// read is the next text, which must be a frame that the protocol knows. That somebody is present or not any more is told at
// some time and passed over.
func (l *link) read() (string, error) {
	l.t.Helper()
	for {
		typ, b, err := l.conn.Read(within(l.t))
		if err != nil {
			return "", err
		}
		require.Equal(l.t, websocket.MessageText, typ)
		checkFrame(l.t, string(b))
		if !presencePatch.Match(b) {
			return string(b), nil
		}
	}
}

// presencePatch is a frame that tells of nothing but how present members are.
var presencePatch = regexp.MustCompile(
	`^\{"json":\{"v":1,"kind":"state","patch":\{"participants":\{("[^"]+":\{"presence":"[a-z_]+"\},?)+\}\}\}\}$`)

func (l *link) next() string {
	l.t.Helper()
	x, err := l.read()
	require.NoError(l.t, err)
	return x
}

// expect demands exactly these texts next.
func (l *link) expect(texts ...string) {
	l.t.Helper()
	for _, want := range texts {
		require.Equal(l.t, want, l.next())
	}
}

// fails demands an error frame next: its text from the version to the code.
func (l *link) fails(frame string) {
	l.t.Helper()
	x := l.next()
	require.True(l.t, strings.HasPrefix(x, `{"json":{`+frame+`,"message":"`), "%s, not %s", x, frame)
}

// until reads on to the text that contains a part, which is the last of those that it returns.
func (l *link) until(part string) (texts []string) {
	l.t.Helper()
	for {
		x, err := l.read()
		require.NoError(l.t, err, "before %s", part)
		texts = append(texts, x)
		if strings.Contains(x, part) {
			return texts
		}
	}
}

// last is the last text that until returns.
func (l *link) last(part string) string {
	l.t.Helper()
	texts := l.until(part)
	return texts[len(texts)-1]
}

// silent demands that nothing is on its way.
func (l *link) silent() {
	l.t.Helper()
	l.send(pingText)
	l.expect(pongText)
}

// call calls a method and returns everything up to the answer.
func (l *link) call(id, method, rest string) []string {
	l.t.Helper()
	l.send(callText(id, method, rest))
	return l.until(`"id":"` + id + `"`)
}

// closed demands the end of the connection next, and how it is told.
func (l *link) closed(code int, reason string) {
	l.t.Helper()
	x, err := l.read()
	var e websocket.CloseError
	require.ErrorAs(l.t, err, &e, "%s", x)
	require.Equal(l.t, websocket.CloseError{Code: websocket.StatusCode(code), Reason: reason}, e)
}

// of picks the texts of a kind.
func of(kind string, texts []string) (out []string) {
	for _, x := range texts {
		if strings.Contains(x, `"kind":"`+kind+`"`) {
			out = append(out, x)
		}
	}
	return out
}

// kinds names the kinds of texts in order.
func kinds(t *testing.T, texts []string) (out []string) {
	t.Helper()
	for _, x := range texts {
		out = append(out, text(t, parse(t, x), "json", "kind"))
	}
	return out
}

var timeForm = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// plain replaces what differs from run to run: times, and the pairs of words that are given.
func plain(x string, words ...string) string {
	return timeForm.ReplaceAllString(strings.NewReplacer(words...).Replace(x), "<time>")
}

// shapes are the fields of each kind that a server sends, beside v and kind: those that must be there, those that may, and
// those of which there is exactly one.
var shapes = map[string]struct {
	v              []string
	needs, may, or []string
}{
	"hello":    {v: []string{"1"}},
	"pong":     {v: []string{"1"}},
	"state":    {v: []string{"1"}, or: []string{"snapshot", "patch"}},
	"messages": {v: []string{"1"}, or: []string{"snapshot", "appended"}},
	"result":   {v: []string{"1"}, needs: []string{"id", "value"}},
	"error":    {v: []string{"1", "2"}, needs: []string{"code", "message"}, may: []string{"id"}},
	"attached": {v: []string{"2"}, needs: []string{"accepted", "grants"}},
	"event":    {v: []string{"2"}, needs: []string{"at", "payload", "seq", "type"}},
}

var head = regexp.MustCompile(`^\{"json":\{"v":([12]),"kind":"([a-z]+)"[,}]`)

// checkFrame demands that a text is a frame of a server, with exactly the fields of its kind.
func checkFrame(t *testing.T, frame string) {
	t.Helper()
	found := head.FindStringSubmatch(frame)
	require.NotNil(t, found, frame)
	shape, known := shapes[found[2]]
	require.True(t, known, frame)
	require.Contains(t, shape.v, found[1], frame)
	var root map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(frame), &root))
	for key := range root {
		require.Contains(t, []string{"json", "meta"}, key)
	}
	if meta, there := root["meta"]; there {
		require.Contains(t, string(meta), `"v":1`)
		require.Contains(t, string(meta), `"values":`)
	}
	fields := parse(t, string(root["json"])).(object)
	either := 0
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(shape.or, key) {
			either++
			continue
		}
		require.Contains(t, slices.Concat([]string{"v", "kind"}, shape.needs, shape.may), key, frame)
	}
	for _, key := range shape.needs {
		require.Contains(t, fields, key)
	}
	require.Equal(t, min(1, len(shape.or)), either, frame)
	if found[2] == "error" {
		require.Equal(t, found[1] == "2", fields["code"] == "unauthorized", frame)
	}
}
