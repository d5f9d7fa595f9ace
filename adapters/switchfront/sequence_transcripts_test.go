package switchfront_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// client is the reference client as the protocol's description shows it, on raw sockets.
type client struct {
	*script
	agent *agent
	id    string
	// tools and beats are the sockets that its HTTP library keeps alive.
	tools, beats *socket
	stream       *socket
}

const connectionID = "3e5b2a52-6f1d-4f0e-9a53-0d5f3c1f7b11"

func newClient(t testing.TB, g *gateway, address string, a *agent) *client {
	s := newScript(t, g, address)
	s.call(address, "host")
	s.call(a.id, a.name)
	s.call(a.key, "key of "+a.name)
	return &client{script: s, agent: a, id: connectionID, tools: s.dial(), beats: s.dial()}
}

// operation is a tool call.
func (c *client) operation(name, args string, show ...func(string) string) string {
	c.t.Helper()
	return c.ask(c.tools, c.tools.fetch("POST", c.agent.path("/ops/"+name), c.agent.key, args,
		"content-type: application/json", "x-switch-connection-id: "+c.id), show...)
}

// post is any other request with a JSON body.
func (c *client) post(on *socket, path, body string) string {
	c.t.Helper()
	return c.ask(on, on.fetch("POST", c.agent.path(path), c.agent.key, body, "content-type: application/json"))
}

func (c *client) beat() string {
	c.t.Helper()
	return c.post(c.beats, "/connection/beat", fmt.Sprintf(`{"connection_id":%q,"cursor":0}`, c.id))
}

// openRequest is the open, with its query in the client's order: rooms come last, and a cursor is sent twice.
func (c *client) openRequest(on *socket, room string, cursor core.Position) string {
	from, headers := "head", []string{"accept: text/event-stream"}
	if cursor > 0 {
		from = fmt.Sprint(cursor)
		headers = append(headers, "last-event-id: "+from)
	}
	query := "?connection_id=" + c.id + "&scope=single&filter=all&start_from=" + from
	if room != "" {
		query += "&rooms=" + room
	}
	return on.fetch("GET", c.agent.path("/events")+query, c.agent.key, "", headers...)
}

// connect opens the stream on a socket of its own.
func (c *client) connect(room string, cursor core.Position) {
	c.t.Helper()
	c.stream = c.dial()
	c.open(c.stream, c.openRequest(c.stream, room, cursor))
}

// TestStartUpSequence is what the reference client says and hears when it starts, byte by byte.
func TestStartUpSequence(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			a := g.register("alice")
			c := newClient(t, g, door(g), a)
			c.title("the catalog of operations")
			body := c.ask(c.tools, c.tools.fetch("GET", a.path("/ops"), a.key, ""), func(string) string { return "{the operations}" })
			checkCatalog(t, body)
			c.title("a beat that comes before the open")
			c.beat()
			c.title("the client aborts its open and opens again")
			aborted := c.dial()
			request := c.openRequest(aborted, "", 0)
			c.note("> ", request)
			aborted.send(request)
			aborted.hangUp()
			eventually(t, "the aborted open is over", func() bool { return a.beat(c.id, 0).status == 409 })
			c.connect("", 0)
			c.title("the beat goes on")
			c.beat()
			c.beat()
			c.check("startup.golden")
		})
	}
}

// checkCatalog makes sure that a client can make tools of the operations.
func checkCatalog(t testing.TB, body string) {
	t.Helper()
	var catalog struct {
		Operations map[string]struct {
			Description string
			InputSchema struct{ Type string } `json:"input_schema"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &catalog))
	require.NotEmpty(t, catalog.Operations)
	for name, op := range catalog.Operations {
		require.NotEmpty(t, op.Description, name)
		require.Equal(t, "object", op.InputSchema.Type, name)
	}
}

// TestSessionSequence is a session of the reference client, byte by byte: it enters its first room and reopens its stream
// without a cursor, is spoken to, answers, moves to another room, takes a role, sends and fetches a file, and comes back
// after it lost its stream.
func TestSessionSequence(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g, _ := withMedia(t, setup{})
			a, b := g.register("alice"), g.register("bob")
			first := a.room(`,"join_event_listeners":["alice"],`+
				`"roles":[{"name":"judge","instructions":"Be fair.","exclusive":true}]`, a, b)
			second := a.room("", a, b)
			late := g.register("carol")
			c := newClient(t, g, door(g), a)
			c.call(first, "first room")
			c.call(second, "second room")
			c.call(b.id, "bob")
			c.call(late.id, "carol")

			c.title("start")
			c.connect("", 0)
			c.title("the first room")
			c.operation("connect_to_room", `{"room_id":"`+first+`"}`, only("result.agent_id", "result.room_id", "result.warning"))
			c.hear(c.stream)
			c.title("the client aborts its stream; bob says something before it reopens")
			c.stream.hangUp()
			b.post(first, "in between")
			c.connect(first, 0)
			c.hear(c.stream)

			c.title("bob speaks to alice")
			b.post(first, "@alice can you hear me?")
			c.hear(c.stream)
			c.post(c.tools, "/typing", `{"room_id":"`+first+`","is_typing":true}`)
			c.operation("post_message", `{"body":"@bob yes"}`)
			c.title("carol joins")
			b.must("", "invite_agent_to_room", `{"room_id":"`+first+`","agent_name":"carol"}`)
			c.hear(c.stream)

			c.title("a role and its lease")
			c.renew()
			c.operation("assume_role", `{"role":"judge"}`)
			c.renew()
			c.operation("release_role", ``)
			c.renew()

			c.title("a file from bob, and one for him")
			c.file(b, first)

			c.title("another room: no reopen, and the old one is given up afterwards")
			c.operation("connect_to_room", `{"room_id":"`+second+`"}`, only("result.room_id", "result.warning"))
			c.hear(c.stream)
			c.post(c.tools, "/connection/unsubscribe", `{"connection_id":"`+c.id+`","room_id":"`+first+`"}`)
			b.post(first, "to the old room")
			_, seen := b.post(second, "to the new room")
			c.hear(c.stream)

			c.title("the stream is lost; the client comes back with its cursor")
			c.stream.hangUp()
			b.post(second, "while away")
			c.connect(second, seen)
			c.hear(c.stream)
			eventually(t, "the cursor is at the head", func() bool {
				return strings.Contains(a.beat(c.id, 0).body, fmt.Sprintf(`"cursor":%d}`, g.node.Applied()))
			})
			c.beat()

			c.title("the same id elsewhere")
			old := c.stream
			c.connect(second, g.node.Applied())
			c.hear(old)
			old.ended()
			c.check("session.golden")
		})
	}
}

// renew asks whether the role is still held; the request has no body.
func (c *client) renew() {
	c.t.Helper()
	c.ask(c.tools, c.tools.fetch("POST", c.agent.path("/leases/renew"), c.agent.key, ""))
}

// file takes a file that somebody posts and sends one.
func (c *client) file(from *agent, room string) {
	c.t.Helper()
	from.upload(room, part{name: "file", filename: "plan.txt", content: "step one"})
	_, data := event(c.t, c.hear(c.stream))
	attachment := data["payload"].(map[string]any)["attachments"].([]any)[0].(map[string]any)
	mxc := attachment["mxc"].(string)
	c.ask(c.tools, c.tools.fetch("GET", c.agent.path("/rooms/"+room+"/media?mxc="+queryEscape(mxc)), c.agent.key, ""))

	const boundary = "----formdata-undici-072914639582"
	body := strings.Join([]string{
		"--" + boundary,
		`Content-Disposition: form-data; name="files"; filename="answer.txt"`, "Content-Type: text/plain", "", "forty-two",
		"--" + boundary,
		`Content-Disposition: form-data; name="caption"`, "", "here you are",
		"--" + boundary + "--", "",
	}, "\r\n")
	c.ask(c.tools, c.tools.fetch("POST", c.agent.path("/rooms/"+room+"/media"), c.agent.key, body,
		"content-type: multipart/form-data; boundary="+boundary))
}

// queryEscape is how the client writes a value into a query.
func queryEscape(s string) string { return strings.NewReplacer(":", "%3A", "/", "%2F").Replace(s) }
