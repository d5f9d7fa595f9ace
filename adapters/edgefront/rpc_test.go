package edgefront_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
)

// request sends one request; headers come in pairs, empty ones are left out.
func (g *gateway) request(method, path, body string, headers ...string) (*http.Response, string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, g.srv.URL+path, strings.NewReader(body))
	require.NoError(g.t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := g.srv.Client().Do(req)
	require.NoError(g.t, err)
	defer resp.Body.Close()
	var out bytes.Buffer
	_, err = out.ReadFrom(resp.Body)
	require.NoError(g.t, err)
	return resp, g.plain(out.String())
}

func TestRPCTable(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob, eve := g.register("alice"), g.register("bob"), g.register("eve")
	room := g.room("chat", nil, alice, bob)
	g.room("secret", private, alice)
	token, _, err := g.node.MintRoomToken(t.Context(), bob.ID, room)
	require.NoError(t, err)
	const (
		chat, secret = "/agents/alice/chat/rpc/", "/agents/alice/secret/rpc/"
		sent         = `{"json":{"v":1,"kind":"result","id":"h1","value":{"event_id":"<msg>"}}}`
		call         = `{"json":{"v":1,"kind":"error","id":"h1","code":"`
		denied       = `{"json":{"v":2,"kind":"error","id":"h1","code":"unauthorized"`
		refused      = `{"json":{"v":2,"kind":"error","code":"unauthorized"`
		broken       = `{"json":{"v":1,"kind":"error","code":"protocol_error"`
	)
	for name, c := range map[string]struct {
		path, body, auth string
		status           int
		want             string
	}{
		"plain list":              {chat + "post_message", `["hi"]`, bob.key, 200, sent},
		"SuperJSON list":          {chat + "postMessage", `{"json":["hi",null],"meta":{"values":{"1":["undefined"]},"v":1}}`, bob.key, 200, sent},
		"one object":              {chat + "postMessage", ` [{"body":"hi"}] `, bob.key, 200, sent},
		"room token":              {chat + "postMessage", `["hi"]`, token, 200, sent},
		"room token elsewhere":    {chat + "listRooms", ``, token, 403, denied},
		"no body":                 {chat + "listParticipants", ``, bob.key, 200, `"value":[{"id":"<alice>"`},
		"empty list":              {chat + "listParticipants", `[]`, bob.key, 200, `"value":[{"id":"<alice>"`},
		"no such method":          {chat + "shout", ``, bob.key, 404, call + "method_not_found"},
		"reserved":                {chat + "onAttach", ``, bob.key, 403, call + "method_private"},
		"underscore":              {chat + "_x", ``, bob.key, 403, call + "method_private"},
		"wrong argument":          {chat + "postMessage", `[7]`, bob.key, 500, call + "method_error"},
		"too many arguments":      {chat + "postMessage", `["a",null,3]`, bob.key, 500, call + "method_error"},
		"no credential, public":   {chat + "postMessage", `["hi"]`, "", 403, denied},
		"no credential, private":  {secret + "postMessage", `["hi"]`, "", 401, refused},
		"no member, public":       {chat + "postMessage", `["hi"]`, eve.key, 403, denied},
		"no member, private":      {secret + "postMessage", `["hi"]`, eve.key, 401, refused},
		"claim before the name":   {chat + "shout", ``, "", 403, denied},
		"nonsense":                {chat + "postMessage", `["hi"]`, "nonsense", 401, refused},
		"body that is no JSON":    {chat + "postMessage", `hi`, bob.key, 400, broken},
		"body that is an object":  {chat + "postMessage", `{"body":"hi"}`, bob.key, 400, broken},
		"body without a json key": {chat + "postMessage", `{}`, bob.key, 400, broken},
		"body that is null":       {chat + "postMessage", `{"json":null}`, bob.key, 400, broken},
		"body that is cut":        {chat + "postMessage", `["hi"`, bob.key, 400, broken},
		"body that is not UTF-8":  {chat + "postMessage", "[\"\xff\"]", bob.key, 400, broken},
		"two bodies":              {chat + "postMessage", `["hi"]["ho"]`, bob.key, 400, broken},
		"body that is too large":  {chat + "postMessage", `["` + strings.Repeat("x", 1<<20) + `"]`, bob.key, 413, broken},
		"body that is too deep":   {chat + "postMessage", strings.Repeat("[", 600) + strings.Repeat("]", 600), bob.key, 400, broken},
		"nobody knows who before": {"/agents/nobody/none/rpc/postMessage", `hi`, bob.key, 401, refused},
	} {
		t.Run(name, func(t *testing.T) {
			before := g.node.Applied()
			auth := c.auth
			if auth != "" {
				auth = "Bearer " + auth
			}
			resp, body := g.request("POST", c.path, c.body, "Authorization", auth)
			require.Equal(t, c.status, resp.StatusCode, "%s", body)
			require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			require.Contains(t, body, c.want)
			if c.status != 200 {
				require.Equal(t, before, g.node.Applied(), "nothing changed")
			}
		})
	}
	resp, body := g.request("POST", chat+"listParticipants?token="+bob.key, "")
	require.Equal(t, 200, resp.StatusCode, "%s", body)
	resp, _ = g.request("POST", chat+"listParticipants?token="+bob.key, "", "Authorization", "Bearer nonsense")
	require.Equal(t, 401, resp.StatusCode, "the header counts")
}

// A void method answers with undefined and not with null, and times are dates.
func TestResultsKeepTheirTypes(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	for _, l := range []string{"getRoomDetail", "get_room_detail"} {
		_, body := g.request("POST", "/agents/alice/chat/rpc/"+l, `["`+room+`"]`, "Authorization", "Bearer "+alice.key)
		require.Contains(t, body, `"created_at":"<time>"`)
		require.Contains(t, body, `"meta":{"values":{"value.created_at":["Date"]`)
	}
	_, body := g.request("POST", "/agents/alice/chat/rpc/listAgents", ``, "Authorization", "Bearer "+alice.key)
	require.Contains(t, body, `.0.created_at":["Date"]`)
}

// A call opens no connection and needs no attach: it counts for the room like any other.
func TestRPCIsSeenByOthers(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	g.room("chat", nil, alice, bob)
	l := g.attach("/agents/alice/chat", alice.key)
	resp, _ := g.request("POST", "/agents/alice/chat/rpc/postMessage", `["over HTTP"]`, "Authorization", "Bearer "+bob.key)
	require.Equal(t, 200, resp.StatusCode)
	require.Contains(t, l.until(`"kind":"messages"`), "over HTTP")
}

func TestRPCVetoes(t *testing.T) {
	for _, gate := range []string{"connect", "attach"} {
		t.Run(gate, func(t *testing.T) {
			o := patient()
			if gate == "connect" {
				o.OnConnect = func(context.Context, *http.Request) error { return http.ErrNotSupported }
			} else {
				o.OnAttach = func(context.Context, edgefront.Admission) error { return http.ErrNotSupported }
			}
			g := newGateway(t, o)
			alice := g.register("alice")
			g.room("chat", nil, alice)
			before := g.node.Applied()
			resp, body := g.request("POST", "/agents/alice/chat/rpc/postMessage", `["x"]`, "Authorization", "Bearer "+alice.key)
			require.Equal(t, 403, resp.StatusCode)
			require.Equal(t, `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"refused"}}`, body)
			require.Equal(t, before, g.node.Applied())
		})
	}
}

// The budget of a call bounds it over HTTP as well.
func TestRPCBudget(t *testing.T) {
	o := patient()
	o.CallBudget = time.Nanosecond
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("chat", nil, alice)
	resp, body := g.request("POST", "/agents/alice/chat/rpc/readContext", ``, "Authorization", "Bearer "+alice.key)
	require.Equal(t, 500, resp.StatusCode)
	require.Contains(t, body, "the call took longer than it may")
}

func TestCrossOrigin(t *testing.T) {
	o := patient()
	o.Origins = []string{"https://app.example"}
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("chat", nil, alice)
	const rpc = "/agents/alice/chat/rpc/listParticipants"
	preflight := func(path, origin string) *http.Response {
		resp, _ := g.request("OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "authorization")
		return resp
	}
	for _, path := range []string{rpc, "/agents/alice/chat?subscribe=state"} {
		resp := preflight(path, "https://app.example")
		require.Equal(t, 204, resp.StatusCode)
		require.Equal(t, "https://app.example", resp.Header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "Authorization, Content-Type, Idempotency-Key, Last-Event-ID", resp.Header.Get("Access-Control-Allow-Headers"))
		require.Equal(t, "GET, POST", resp.Header.Get("Access-Control-Allow-Methods"))
		require.Empty(t, resp.Header.Get("Access-Control-Allow-Credentials"))
		resp = preflight(path, "https://evil.example")
		require.Equal(t, 403, resp.StatusCode)
		require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
	}
	require.Equal(t, 404, preflight("/agents/alice", "https://app.example").StatusCode)
	for origin, status := range map[string]int{"": 200, "https://app.example": 200, g.srv.URL: 200, "https://evil.example": 403, "null": 403} {
		resp, body := g.request("POST", rpc, "", "Origin", origin, "Authorization", "Bearer "+alice.key)
		require.Equal(t, status, resp.StatusCode, "%q: %s", origin, body)
		allowed := ""
		if status == 200 {
			allowed = origin
		}
		require.Equal(t, allowed, resp.Header.Get("Access-Control-Allow-Origin"))
	}
	resp, _ := g.request("POST", rpc, "", "Origin", "https://app.example")
	require.Equal(t, 403, resp.StatusCode)
	require.Equal(t, "https://app.example", resp.Header.Get("Access-Control-Allow-Origin"), "the page may read why")
	require.Equal(t, 403, g.listen("/agents/alice/chat", "Origin", "https://evil.example").resp.StatusCode)
	require.Equal(t, "https://app.example",
		g.listen("/agents/alice/chat", "Origin", "https://app.example").resp.Header.Get("Access-Control-Allow-Origin"))
}

func TestCreatesPerHour(t *testing.T) {
	now := &clock{}
	o := patient()
	o.CreatesPerHour, o.Create = 2, edgefront.CreateAnyone
	g := newGatewayOn(t, memlog.New(), core.Options{Now: now.now}, o)
	g.register("alice")
	bob, eve := g.register("bob"), g.register("eve")
	open := func(token, name string) string {
		l := g.dial("/agents/alice/" + name)
		l.send(attachText(token))
		return l.next()
	}
	const granted, limited = `"kind":"attached"`, "you have made as many conversations as you may"
	for _, c := range []struct{ token, name, want string }{
		{bob.key, "1", granted},
		{bob.key, "1", granted},
		{bob.key, "2", granted},
		{bob.key, "3", limited},
		{bob.key, "2", granted},
		{eve.key, "3", granted},
		{"", "4", granted},
		{"", "5", granted},
		{"", "6", limited},
	} {
		require.Contains(t, open(c.token, c.name), c.want, "%s", c.name)
	}
	l := g.dial("/agents/alice/9")
	l.send(attachText(bob.key))
	require.EqualValues(t, 1013, l.ended().Code)
	resp, body := g.request("POST", "/agents/alice/9/rpc/listParticipants", "", "Authorization", "Bearer "+bob.key)
	require.Equal(t, 429, resp.StatusCode, "%s", body)
	require.Regexp(t, `^3[56]\d\d$`, resp.Header.Get("Retry-After"))
	now.move(time.Hour)
	require.Contains(t, open(bob.key, "9"), granted)
}
