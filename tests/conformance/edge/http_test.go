package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStream(t *testing.T) {
	t.Parallel()
	shows(t, "13-type", "13-frame", "13-id", "13-attached", "13-open", "13-subscribe", "13-query", "13-header", "13-gone", "6-order")
	r := shared(t).room(t)
	r.say(t, r.a, "one")
	st := r.s.stream(t, "/edge"+r.at, r.b.key)
	require.Equal(t, 200, st.resp.StatusCode)
	require.Equal(t, []string{"text/event-stream", "no-store", "no"}, []string{
		st.resp.Header.Get("Content-Type"), st.resp.Header.Get("Cache-Control"), st.resp.Header.Get("X-Accel-Buffering"),
	})
	boot := st.until(t, helloText)
	l, socket := r.s.attach(t, r.at, r.b.key)
	require.Equal(t, socket, texts(boot))
	ids := func(events []event) (out []string) {
		for _, e := range events {
			out = append(out, e.id)
		}
		return out
	}
	require.Equal(t, []string{"", "", "m1.e0", "m1.e1", "m1.e2", "m1.e3", "m1.e4", ""}, ids(boot))
	require.Equal(t, "data: "+helloText+"\n\n", boot[7].raw)
	require.Equal(t, "id: m1.e4\ndata: "+socket[6]+"\n\n", boot[6].raw)
	for _, how := range []struct{ query, token, header, want string }{
		{"?subscribe=events&token=" + r.a.key, "", "X: y", `["read","rpc"],"accepted":["events"]`},
		{"?subscribe=messages,%20state,weather", "", "Authorization: " + r.a.key, `["read","rpc"],"accepted":["messages","state"]`},
		{"?subscribe=state&subscribe=events", "", "Authorization: bearer " + r.a.key, `["read","rpc"],"accepted":["state","events"]`},
		{"?subscribe=state&token=nonsense", r.a.key, "X: y", `["read","rpc"],"accepted":["state"]`},
		{"?subscribe=state", "", "X: y", `["read"],"accepted":["state"]`},
		{"?subscribe=", "", "X: y", `["read"],"accepted":["state","messages","events"]`},
	} {
		gone := r.s.stream(t, r.at+how.query, how.token, how.header)
		require.Contains(t, gone.next(t).data, how.want, how.query)
		gone.cancel()
	}
	r.say(t, r.b, "two")
	r.emit(t, r.b, "tick")
	live := st.until(t, `"type":"tick"`)
	require.Equal(t, l.until(`"type":"tick"`), texts(live))
	require.Equal(t, []string{"m2.e4", "", "m2.e5", "m2.e6"}, ids(live))
}

func TestStreamResume(t *testing.T) {
	t.Parallel()
	shows(t, "13-resume", "13-id")
	r := shared(t).room(t)
	for _, words := range []string{"one", "two"} {
		r.say(t, r.a, words)
	}
	boot := func(id string) []string {
		st := r.s.stream(t, r.at+"?subscribe=state,messages,events", r.b.key, "Last-Event-ID: "+id)
		return texts(st.until(t, helloText))
	}
	whole := boot("")
	require.Equal(t, []string{"attached", "state", "messages", "event", "event", "event", "event", "event", "hello"}, kinds(t, whole))
	for _, none := range []string{"x", "m1", "e4", "m1.e", "m-1.e2", "m1.e2.x", "1.2", "m99999999999999999999.e1"} {
		require.Equal(t, whole, boot(none), none)
	}
	require.Equal(t, []string{"attached", "state", "messages", "event", "hello"}, kinds(t, boot("m1.e4")))
	require.Contains(t, boot("m1.e4")[2], `"appended":[{"role":"assistant","content":"two"`)
	require.Equal(t, []string{"attached", "state", "hello"}, kinds(t, boot("m2.e5")))
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	shows(t, "13-refused", "13-405", "13-401", "13-header")
	s := shared(t)
	r, secret := s.room(t), s.secret(t)
	for path, token := range map[string]string{r.at: "nonsense", secret.at: "", secret.at + "?x=": r.a.key} {
		query := "?subscribe=state"
		if strings.Contains(path, "?") {
			query = "&subscribe=state"
		}
		a := s.do(t, "GET", path+query, token, nil).refused(401, unauthorized)
		require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"))
		base, _, _ := strings.Cut(path, "?")
		s.do(t, "POST", base+"/rpc/getRoomState", token, nil).refused(401, unauthorized)
	}
	s.do(t, "POST", r.at+"/rpc/getRoomState?token="+r.a.key, "", nil).is(200)
	s.do(t, "POST", r.at+"/rpc/getRoomState?token="+r.a.key, "nonsense", nil).refused(401, unauthorized)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		a := s.do(t, method, "/edge"+r.at, r.a.key, nil).refused(405, protocolError)
		require.Equal(t, "GET", a.header.Get("Allow"))
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		a := s.do(t, method, r.at+"/rpc/getRoomState", r.a.key, nil).refused(405, protocolError)
		require.Equal(t, "GET, POST", a.header.Get("Allow"))
	}
}

func TestRPC(t *testing.T) {
	t.Parallel()
	shows(t, "13-array", "13-empty", "13-answer", "13-200", "13-404", "13-403", "13-400", "13-413", "13-500", "13-quiet", "12-unauthorized")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":["messages"]`)
	for name, c := range map[string]struct {
		method, body, token string
		status              int
		want                string
	}{
		"list":                  {"getRoomState", `[]`, r.b.key, 200, `"v":1,"kind":"result","id":"h1","value":{}`},
		"no body":               {"getRoomState", ``, r.b.key, 200, `"v":1,"kind":"result","id":"h1","value":{}`},
		"blank body":            {"getRoomState", "\n ", r.b.key, 200, `"v":1,"kind":"result","id":"h1","value":{}`},
		"SuperJSON":             {"getRoomState", `{"json":[null],"meta":{"values":{"0":["undefined"]},"v":1}}`, r.b.key, 200, `"v":1,"kind":"result","id":"h1","value":{}`},
		"no such method":        {"shout", `[]`, r.b.key, 404, failed("h1", "method_not_found")},
		"reserved":              {"onAttach", `[]`, r.b.key, 403, failed("h1", "method_private")},
		"leading _":             {"_x", `[]`, r.b.key, 403, failed("h1", "method_private")},
		"no claim":              {"shout", `[]`, "", 403, failed("h1", "unauthorized")},
		"fails":                 {"postMessage", `[5]`, r.b.key, 500, failed("h1", "method_error")},
		"no JSON":               {"postMessage", `hi`, r.b.key, 400, protocolError},
		"an object":             {"postMessage", `{"body":"hi"}`, r.b.key, 400, protocolError},
		"SuperJSON of no list":  {"postMessage", `{"json":{"body":"hi"}}`, r.b.key, 400, protocolError},
		"cut":                   {"postMessage", `["hi"`, r.b.key, 400, protocolError},
		"two":                   {"postMessage", `["hi"]["ho"]`, r.b.key, 400, protocolError},
		"no UTF-8":              {"postMessage", "[\"\xff\"]", r.b.key, 400, protocolError},
		"larger than a message": {"postMessage", `["` + strings.Repeat("x", 1<<20) + `"]`, r.b.key, 413, protocolError},
	} {
		a := r.s.do(t, "POST", r.at+"/rpc/"+c.method, c.token, c.body).is(c.status)
		require.Equal(t, "application/json", a.header.Get("Content-Type"), name)
		require.True(t, strings.HasPrefix(a.body, `{"json":{`+c.want), "%s: %s", name, a.body)
		checkFrame(t, a.body)
	}
	l.silent()
	a := r.call(t, r.b, "postMessage", `["over HTTP"]`).is(200)
	require.Regexp(t, `^\{"json":\{"v":1,"kind":"result","id":"h1","value":\{"event_id":"[^"]+"\}\}\}\n?$`, a.body)
	require.Contains(t, l.next(), `"content":"over HTTP"`)
	l.silent()
	detail := r.call(t, r.b, "getRoomDetail", `["`+r.id+`"]`).is(200)
	require.Contains(t, detail.body, `"meta":{"values":{"value.created_at":["Date"]`)
}
