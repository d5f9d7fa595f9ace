package conformance

import (
	"bufio"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

// handshake sends an upgrade request as it is and returns the head of the answer.
func (s *server) handshake(t *testing.T, path string, h http.Header) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	req.Header = h
	require.NoError(t, req.Write(c))
	resp, err := http.ReadResponse(bufio.NewReader(c), req)
	require.NoError(t, err)
	return resp
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	shows(t, "2-address", "2-prefix", "2-room-id", "2-query", "2-three", "13-call", "13-get")
	r := shared(t).room(t)
	for _, path := range []string{
		"/agents/" + r.a.id + "/" + r.name, "/agents/" + r.a.name + "/" + r.name, "/agents/" + r.b.name + "/" + r.name,
		"/agents/" + r.a.name + "/" + r.id, "/edge/agents/" + r.a.id + "/" + r.id,
	} {
		for _, query := range []string{"", "?subscribe=state&token=nonsense&x=1"} {
			_, boot := r.s.attach(t, path+query, r.b.key)
			require.Contains(t, boot[0], `"grants":["read","rpc"],"accepted":["state","messages","events"]`)
			require.Contains(t, boot[1], `"id":"`+r.id+`"`)
		}
		r.s.do(t, "POST", path+"/rpc/getRoomState", r.b.key, nil).is(200)
		st := r.s.stream(t, path+"?subscribe=state", r.b.key)
		require.Contains(t, st.next(t).data, `"attached"`)
		below := r.s.stream(t, path+"/rpc/getRoomState?subscribe=state", r.b.key)
		require.Contains(t, below.next(t).data, `"attached"`)
	}
}

func TestEscapedNames(t *testing.T) {
	t.Parallel()
	shows(t, "2-escaped", "2-names", "2-create", "7-key")
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	for _, name := range []string{"plain", "with space", "a/b", "+1555", "50%", "ümlaut", "a?b#c", "..x", "dot.ted", "e\u0301"} {
		path := "/agents/" + a.id + "/" + url.PathEscape(name)
		_, boot := s.attach(t, path, b.key)
		require.Contains(t, boot[0], `"grants":["read","rpc"]`)
		state := at(t, parse(t, boot[1]), "json", "snapshot").(object)
		require.Equal(t, name, state["topic"])
		require.Len(t, state["participants"], 2)
		for _, who := range []*agent{a, b} {
			require.Contains(t, state["participants"], who.id)
			_, again := s.attach(t, path, who.key)
			require.Equal(t, state["id"], at(t, parse(t, again[1]), "json", "snapshot", "id"))
		}
	}
	for _, bad := range []string{"%20", "%09%0a", strings.Repeat("x", 257), "%ff%fe"} {
		require.Equal(t, 400, s.handshake(t, "/agents/"+a.id+"/"+bad, testsocket.Handshake()).StatusCode, bad)
		s.do(t, "POST", "/edge/agents/"+a.id+"/"+bad+"/rpc/listRooms", a.key, nil).refused(400, protocolError)
		s.do(t, "GET", "/edge/agents/"+a.id+"/"+bad, a.key, nil).refused(400, protocolError)
	}
	s.attach(t, "/agents/"+a.id+"/"+strings.Repeat("x", 256), a.key)
}

func TestNotUpgraded(t *testing.T) {
	t.Parallel()
	shows(t, "2-not-get", "2-handshake", "2-unknown")
	r := shared(t).room(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		for _, path := range []string{r.at, r.at + "/rpc/listRooms"} {
			r.s.do(t, method, path, r.a.key, nil, "Connection: Upgrade", "Upgrade: websocket").refused(400, protocolError)
		}
	}
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Sec-WebSocket-Version", "12", 426},
		{"Sec-WebSocket-Version", "", 426},
		{"Connection", "keep-alive", 426},
		{"Sec-WebSocket-Key", "short", 400},
		{"Sec-WebSocket-Key", "", 400},
	} {
		h := testsocket.Handshake()
		h.Set(c.name, c.value)
		a := r.s.handshake(t, r.at, h)
		require.Equal(t, c.status, a.StatusCode, "%s: %s", c.name, c.value)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		if c.status == 426 {
			require.Equal(t, "13", a.Header.Get("Sec-WebSocket-Version"))
		}
	}
	for _, rest := range []string{"/rpc", "/rpc/", "/rpc/a/b", "/more", "/more/and/more"} {
		a := r.s.do(t, "POST", "/edge"+r.at+rest, r.a.key, nil)
		require.Equal(t, 404, a.status, "%s: %s", rest, a.body)
	}
}

func TestTokenOnlyInAttach(t *testing.T) {
	t.Parallel()
	shows(t, "2-no-token")
	r := shared(t).secret(t)
	l := r.s.open(t, r.at+"?token="+r.a.key, "Authorization: Bearer "+r.a.key)
	l.send(pingText)
	l.fails(unauthorized)
	l.closed(1008, "refused")
}

func TestRoomsByAddress(t *testing.T) {
	t.Parallel()
	shows(t, "2-create-nobody", "2-create-off", "2-create-anyone", "7-same")
	first := func(s *server, path, token string) string {
		l := s.first(t, path, attachText(token))
		return l.next()
	}
	s := shared(t)
	secret := s.secret(t)
	// What is private, what does not exist, and whose agent does not exist.
	refusal := first(s, secret.at, "")
	require.Contains(t, refusal, unauthorized)
	for _, path := range []string{
		"/agents/" + secret.a.id + "/" + unique("new"), "/agents/nobody/" + secret.name, "/agents/" + secret.a.id + "/" + secret.id,
		"/agents/" + secret.a.id + "/room_00000000-0000-7000-8000-000000000000",
	} {
		require.Equal(t, refusal, first(s, path, ""), path)
	}
	for policy, c := range map[string]struct{ nobody, agent string }{
		"off": {unauthorized, unauthorized}, "anyone": {`"grants":["read"]`, `"grants":["read","rpc"]`},
	} {
		s := own(t, "--edge-create="+policy)
		a := s.agent(t)
		require.Contains(t, first(s, "/agents/"+a.id+"/one", ""), c.nobody)
		require.Contains(t, first(s, "/agents/"+a.id+"/two", a.key), c.agent)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	shows(t, "2-origin", "2-origin-flag", "2-preflight")
	transports := func(s *server, r *room, origin string) (out []int) {
		header := "Origin: " + origin
		if origin == "" {
			header = "X-None: 1"
		}
		h := testsocket.Handshake()
		name, value, _ := strings.Cut(header, ": ")
		h.Set(name, value)
		st := s.stream(t, r.at+"?subscribe=state", r.a.key, header)
		call := s.do(t, "POST", r.at+"/rpc/getRoomState", r.a.key, nil, header)
		allowed := ""
		if call.status == 200 {
			allowed = origin
		}
		require.Equal(t, allowed, call.header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, call.header.Get("Access-Control-Allow-Credentials"))
		return append(out, s.handshake(t, r.at, h).StatusCode, st.resp.StatusCode, call.status)
	}
	s := shared(t)
	r := s.room(t)
	in, out := []int{101, 200, 200}, []int{403, 403, 403}
	for origin, want := range map[string][]int{"": in, s.url: in, "https://app.example": out, "null": out, "file://": out, "https://127.0.0.1": out} {
		require.Equal(t, want, transports(s, r, origin), origin)
	}
	own := own(t, "--edge-origins=https://app.example,*.b.example")
	theirs := own.room(t)
	for origin, want := range map[string][]int{
		"https://app.example": in, "http://app.example": out, "https://x.b.example": in, "http://x.b.example": in, "https://b.example": out, own.url: in,
	} {
		require.Equal(t, want, transports(own, theirs, origin), origin)
	}
	for _, path := range []string{theirs.at + "/rpc/getRoomState", theirs.at + "?subscribe=state"} {
		ask := func(origin string) answer {
			return own.do(t, "OPTIONS", "/edge"+path, "", nil, "Origin: "+origin, "Access-Control-Request-Method: POST")
		}
		h := ask("https://app.example").is(204).header
		require.Equal(t, []string{"https://app.example", "GET, POST", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"}, []string{
			h.Get("Access-Control-Allow-Origin"), h.Get("Access-Control-Allow-Methods"), h.Get("Access-Control-Allow-Headers"),
		})
		ask("https://evil.example").is(403)
	}
}
