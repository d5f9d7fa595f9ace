package edgefront_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/internal/sse"
)

// source is a client of an event stream.
type source struct {
	t    testing.TB
	g    *gateway
	resp *http.Response
	r    *sse.Reader
	// id is that of the newest event that had one.
	id  string
	end context.CancelFunc
}

// listen opens an event stream; headers come in pairs.
func (g *gateway) listen(pathAndQuery string, headers ...string) *source {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	g.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.srv.URL+pathAndQuery, nil)
	require.NoError(g.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := g.srv.Client().Do(req)
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = resp.Body.Close() })
	return &source{t: g.t, g: g, resp: resp, r: sse.NewReader(resp.Body, 0), end: cancel}
}

// next is the next event as "id data", with ids and times replaced.
func (s *source) next() string {
	s.t.Helper()
	f, err := s.r.Next()
	require.NoError(s.t, err)
	require.Empty(s.t, f.Event, "onmessage gets every frame")
	if f.ID != "" {
		s.id = f.ID
	}
	return s.g.plain(strings.TrimSpace(f.ID + " " + string(f.Data)))
}

func (s *source) expect(events ...string) {
	s.t.Helper()
	for _, want := range events {
		require.Equal(s.t, want, s.next())
	}
}

// until skips to an event that contains a part.
func (s *source) until(part string) string {
	s.t.Helper()
	for {
		if got := s.next(); strings.Contains(got, part) {
			return got
		}
	}
}

// body is the whole answer of a request that opens no stream.
func (s *source) body() string {
	s.t.Helper()
	b, err := io.ReadAll(s.resp.Body)
	require.NoError(s.t, err)
	return string(b)
}

// The frames of a stream are those that a socket gets that attaches with the same token, streams and cursors; ids stand on
// those that move a cursor.
func TestEventStreamIsTheSocketInEvents(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	g.post(room, alice, "one")
	socket := g.dial("/agents/alice/chat")
	socket.send(attachText(bob.key))
	s := g.listen("/agents/alice/chat?subscribe=state,messages,events", "Authorization", "Bearer "+bob.key)
	require.Equal(t, http.StatusOK, s.resp.StatusCode)
	require.Equal(t, "text/event-stream", s.resp.Header.Get("Content-Type"))
	require.Equal(t, "no-store", s.resp.Header.Get("Cache-Control"))
	ids := []string{"", "", "m1.e0", "m1.e1", "m1.e2", "m1.e3", "m1.e4", ""}
	for _, id := range ids {
		require.Equal(t, strings.TrimSpace(id+" "+socket.next()), s.next())
	}
	g.post(room, bob, "two")
	for _, id := range []string{"m2.e4", "", "m2.e5"} {
		require.Equal(t, strings.TrimSpace(id+" "+socket.next()), s.next())
	}
}

func TestEventStreamSubscriptions(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	for query, c := range map[string]struct {
		accepted string
		events   []string
	}{
		"":                                       {`["state","messages","events"]`, []string{"", "m0.e0", "m0.e1", "m0.e2", ""}},
		"?subscribe=":                            {`["state","messages","events"]`, []string{"", "m0.e0", "m0.e1", "m0.e2", ""}},
		"?subscribe=state":                       {`["state"]`, []string{"", ""}},
		"?subscribe=events,nothing,events":       {`["events"]`, []string{"m0.e1", "m0.e2", ""}},
		"?subscribe=nothing":                     {`[]`, []string{""}},
		"?subscribe=%20messages&subscribe=state": {`["messages","state"]`, []string{"", "m0.e0", ""}},
	} {
		t.Run(query, func(t *testing.T) {
			s := g.listen("/agents/alice/"+room+query, "Authorization", "bearer "+alice.key)
			s.expect(`{"json":{"v":2,"kind":"attached","grants":["read","rpc"],"accepted":` + c.accepted + `}}`)
			for i, id := range c.events {
				got := s.next()
				require.Equal(t, id != "", strings.HasPrefix(got, id+" {"), "%s", got)
				if i == len(c.events)-1 {
					require.Equal(t, helloText, got)
				}
			}
		})
	}
}

func TestEventStreamResumes(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	g.post(room, alice, "one")
	g.post(room, alice, "two")
	all := `"kind":"messages","snapshot":[{`
	for id, want := range map[string][]string{
		"m1.e3":                    {`m2.e3 {"json":{"v":1,"kind":"messages","appended":[{"role":"assistant","content":"two"`, "m2.e4 ", helloText},
		"m2.e4":                    {helloText},
		"m0.e4":                    {`m2.e4 {"json":{"v":1,"kind":"messages","appended":[{"role":"assistant","content":"one"`, helloText},
		"m2.e3":                    {"m2.e4 ", helloText},
		"m9.e9":                    {all, helloText},
		"m1":                       {all, "m2.e1 ", "m2.e2 ", "m2.e3 ", "m2.e4 ", helloText},
		"e4.m2":                    {all, "m2.e1 "},
		"m-1.e4":                   {all, "m2.e1 "},
		"m2.e4.x":                  {all, "m2.e1 "},
		"m2.e99999999999999999999": {all, "m2.e1 "},
	} {
		t.Run(id, func(t *testing.T) {
			s := g.listen("/agents/alice/chat?token="+alice.key, "Last-Event-ID", id)
			s.until(`"kind":"state","snapshot"`)
			for _, part := range want {
				require.Contains(t, s.next(), part)
			}
		})
	}
}

// A stream that is cut after each event, while others write, brings every message and every event once and in order.
func TestEventStreamCutAfterEachEvent(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	const count = 60
	go func() {
		for i := range count {
			_, _, err := g.node.PostMessage(context.Background(), room, core.PostMessage{Sender: alice.ID, Text: fmt.Sprint(i)}, nil)
			if err != nil {
				t.Error(err)
			}
		}
	}()
	id, messages, events := "m0.e0", uint64(0), uint64(0)
	for cuts := 0; messages < count || events < count+2; cuts++ {
		s := g.listen("/agents/alice/chat?subscribe=messages,events&token="+alice.key, "Last-Event-ID", id)
		for range 1 + cuts%3 {
			got := s.next()
			for !strings.HasPrefix(got, "m") && (messages < count || events < count+2) {
				got = s.next()
			}
			var m, e uint64
			if _, err := fmt.Sscanf(got, "m%d.e%d ", &m, &e); err != nil {
				break
			}
			require.True(t, m > messages && e == events || m == messages && e == events+1, "m%d.e%d after %s", m, e, id)
			require.Equal(t, int(m-messages), strings.Count(got, `"content"`), "%s", got)
			messages, events, id = m, e, s.id
			if messages == count && events == count+2 {
				break
			}
		}
		s.end()
	}
}

func TestEventStreamRefusals(t *testing.T) {
	g := newGateway(t, edgefront.Options{
		OnAttach: func(_ context.Context, a edgefront.Admission) error {
			if a.Request.URL.Query().Get("no") != "" {
				return io.EOF
			}
			return nil
		},
	})
	alice := g.register("alice")
	g.room("secret", private, alice)
	g.room("open", nil, alice)
	const unauthorized = `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"`
	for name, c := range map[string]struct {
		path, header string
		status       int
		body         string
	}{
		"private without a token":   {"/agents/alice/secret", "", 401, unauthorized + "no conversation of this name is open to you"},
		"nothing there":             {"/agents/alice/none", "", 401, unauthorized + "no conversation of this name is open to you"},
		"a token that is none":      {"/agents/alice/open?token=x", "", 401, unauthorized + "this token is not valid here"},
		"a header that is none":     {"/agents/alice/open?token=" + alice.key, "Bearer x", 401, unauthorized + "this token is not valid here"},
		"a header of another kind":  {"/agents/alice/open", "Basic eA==", 401, unauthorized + "this token is not valid here"},
		"a veto":                    {"/agents/alice/open?no=1", "Bearer " + alice.key, 403, unauthorized + "refused"},
		"a name that cannot be one": {"/agents/alice/%20", "", 400, `{"json":{"v":1,"kind":"error","code":"protocol_error"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := g.listen(c.path, "Authorization", c.header)
			require.Equal(t, c.status, s.resp.StatusCode)
			require.Equal(t, "application/json", s.resp.Header.Get("Content-Type"))
			require.Equal(t, c.status == 401, s.resp.Header.Get("WWW-Authenticate") == "Bearer")
			require.Contains(t, s.body(), c.body)
		})
	}
	require.Equal(t, http.StatusOK, g.listen("/agents/alice/open").resp.StatusCode)
	require.Equal(t, http.StatusOK, g.listen("/agents/alice/open", "Upgrade", "h2c").resp.StatusCode, "other upgrades are not taken up")
	require.Equal(t, http.StatusOK, g.listen("/agents/alice/open/rpc/x").resp.StatusCode, "any other GET")
	require.Equal(t, http.StatusOK, g.listen("/agents/alice/secret", "Authorization", alice.key).resp.StatusCode, "a header without a scheme")
}
