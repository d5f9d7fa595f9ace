package scripts_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts"
	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// frames writes frames as a socket receives them, one per line.
func frames(t testing.TB, of ...edgeframes.Frame) string {
	t.Helper()
	var text strings.Builder
	for _, f := range of {
		b, err := edgeframes.Encode(f)
		require.NoError(t, err)
		text.Write(append(b, '\n'))
	}
	return text.String()
}

func said(seq uint64, name, content string) edgeframes.Message {
	return edgeframes.Message{Role: edgeframes.RoleUser, Content: content, Name: name, Seq: seq, At: noon.Add(time.Duration(seq) * time.Second)}
}

func item(key string, v superjson.Value) superjson.Member {
	return superjson.Member{Key: key, Value: v}
}

func fields(members ...superjson.Member) *superjson.Object { return superjson.NewObject(members...) }

// told is the event of a message.
func told(version uint64, turn int, content string) edgeframes.EventFrame {
	return edgeframes.EventFrame{Seq: version, Type: string(core.MessagePosted), At: noon, Payload: fields(
		item("id", superjson.String(fmt.Sprintf("msg_%d", turn))), item("turn", superjson.Int(int64(turn))),
		item("sender", superjson.String("agt_ada")), item("sender_name", superjson.String("ada")), item("text", superjson.String(content)),
	)}
}

func turnPatch(turn int) edgeframes.State {
	return edgeframes.State{Patch: fields(item("turn", superjson.Int(int64(turn))))}
}

func live(m edgeframes.Message) edgeframes.Messages {
	return edgeframes.Messages{Appended: []edgeframes.Message{m}}
}

var roomState = fields(
	item("id", superjson.String("room_1")), item("topic", superjson.String("ops")), item("floor", superjson.String("open")),
	item("state", superjson.String("ACTIVE")), item("turn", superjson.Int(2)), item("created_at", superjson.DateOf(noon)),
	item("participants", fields(
		item("agt_bob", fields(item("name", superjson.String("Bob")), item("joined_at", superjson.DateOf(noon.Add(time.Second))))),
		item("agt_ada", fields(item("name", superjson.String("Ada L.")), item("handle", superjson.String("ada")), item("joined_at", superjson.DateOf(noon)))),
	)),
	item("typing", fields()), item("count", superjson.Int(3)),
)

func attached(streams ...edgeframes.Stream) edgeframes.Attached {
	return edgeframes.Attached{Grants: []string{"read"}, Accepted: streams}
}

// plainSocket is a connection that did not attach, and so is told no events.
func plainSocket(t testing.TB) string {
	return frames(t,
		edgeframes.State{Snapshot: roomState},
		edgeframes.Messages{Snapshot: []edgeframes.Message{said(1, "ada", "one"), said(2, "Bob", "two")}}, edgeframes.Hello{},
		live(said(3, "ada", "three")), turnPatch(3),
		edgeframes.State{Patch: fields(item("typing", fields(item("agt_bob", fields(item("since", superjson.DateOf(noon)))))))},
		edgeframes.State{Patch: fields(item("participants", fields(item("agt_bob", superjson.Null{}))))},
		edgeframes.State{Patch: fields(item("count", superjson.Int(4)))},
		edgeframes.State{Patch: fields(item("state", superjson.String("CLOSED")), item("next_actor", superjson.Null{}))},
		edgeframes.State{Patch: fields(item("closed_at", superjson.DateOf(noon)), item("close_reason", superjson.String("manual_close")))},
	)
}

// attachedSocket is a connection that is told all there is, and a later one that goes on after it.
func attachedSocket(t testing.TB) string {
	all := attached(edgeframes.Streams()...)
	return "> " + frames(t, edgeframes.Attach{Token: "secret"}) + "< " + strings.ReplaceAll(strings.TrimSuffix(frames(t,
		all, edgeframes.State{Snapshot: roomState},
		edgeframes.Messages{Snapshot: []edgeframes.Message{said(1, "ada", "one"), said(2, "ada", "two")}},
		told(4, 0, "one"), edgeframes.EventFrame{Seq: 5, Type: "bell", At: noon}, told(6, 1, "two"), edgeframes.Hello{},
		live(said(3, "ada", "three")), turnPatch(3), told(7, 2, "three"),
	), "\n"), "\n", "\n< ") + "\n" + frames(t,
		all, edgeframes.State{Snapshot: roomState}, live(said(4, "ada", "four")), told(7, 2, "three"), told(8, 3, "four"), edgeframes.Hello{},
		edgeframes.Pong{}, edgeframes.EventFrame{Seq: 9, Type: "bell", At: noon},
	)
}

// otherServer numbers its events by themselves and tells no message among them.
func otherServer(t testing.TB) string {
	return frames(t,
		attached(edgeframes.Streams()...), edgeframes.State{Snapshot: fields(item("count", superjson.Int(1)))},
		edgeframes.Messages{Snapshot: []edgeframes.Message{said(1, "", "one")}},
		edgeframes.EventFrame{Seq: 1, Type: "begun", At: noon}, edgeframes.Hello{},
		live(said(2, "", "two")), live(said(3, "", "three")), edgeframes.EventFrame{Seq: 2, Type: "ended", At: noon},
	)
}

const pages = `{"room_id":"room_1","items":[
{"event_id":1,"type":"room.created","room_id":"room_1","sender_id":"agt_ada","created_at":"2026-03-01T12:00:00Z"},
{"event_id":2,"type":"room.joined","room_id":"room_1","sender_id":"agt_ada","created_at":"2026-03-01T12:00:00Z"}],"next_since":2}
{"room_id":"room_1","items":[
{"event_id":2,"type":"room.joined","room_id":"room_1","sender_id":"agt_ada","created_at":"2026-03-01T12:00:00Z"},
{"event_id":3,"type":"message.created","room_id":"room_1","message_id":"msg_0","turn":0,"sender_id":"agt_ada","ciphertext":"} \"{","created_at":"2026-03-01T12:00:01.5Z"},
{"event_id":4,"type":"room.repainted","room_id":"room_1","created_at":"2026-03-01T12:00:01Z"}],"next_since":4}{"room_id":"room_1","items":[],"next_since":4}
`

const transcript = `{"room_id":"room_1","room_topic":"ops","agent_a_id":"agt_ada","agent_b_id":"agt_bob","turn_index":1,"next_actor_id":"","state":"CLOSED",
"messages":[{"id":"msg_0","sender_id":"agt_ada","sender_name":"Ada","turn":0,"ciphertext":"hello","created_at":"2026-03-01T12:00:01Z","read_by_opponent":true}],
"closed_at":"2026-03-01T13:00:00Z","purged_at":null,"last_context_fetch_turn_by_agent":null}`

// summary is an event in few words.
func summary(e *core.Entry) string {
	out := fmt.Sprintf("%d %s", e.Version, e.Kind)
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		out += fmt.Sprintf(" %d %s %s %s", p.Turn, p.ID, p.Sender, p.Text)
	case *core.MemberJoinedEvent:
		out += " " + p.Agent
	case *core.MemberLeftEvent:
		out += " " + p.Agent
	case *core.EventEmittedEvent:
		out += " " + p.Type
	case *core.RoomStateChangedEvent:
		out += fmt.Sprintf(" %s %s", p.From, p.To)
	case *core.StatePatchedEvent:
		out += " " + string(p.Patch.Append(nil))
	case *core.StateReplacedEvent:
		out += " " + string(p.State.Append(nil))
	case *core.RoomClosedEvent:
		out += " " + string(p.Reason)
	}
	return out
}

func TestCapturesOfClients(t *testing.T) {
	for name, tc := range map[string]struct {
		script scripts.Script
		text   string
		opts   scripts.Options
		want   []string
	}{
		"a plain socket": {scripts.Edge, plainSocket(t), scripts.Options{}, []string{
			"1 room.created", "2 member.joined agt_ada", "3 member.joined agt_bob", `4 state.replaced {"count":3}`,
			"5 message.posted 0 msg_room_1_1 agt_ada one", "6 message.posted 1 msg_room_1_2 agt_bob two",
			"7 message.posted 2 msg_room_1_3 agt_ada three", "8 member.left agt_bob", `9 state.patched {"count":4}`,
			"10 room.state_changed ACTIVE CLOSED", "11 room.closed manual_close",
		}},
		"an attached socket that comes back": {scripts.Edge, attachedSocket(t), scripts.Options{}, []string{
			"4 message.posted 0 msg_0 agt_ada one", "5 event.emitted bell", "6 message.posted 1 msg_1 agt_ada two",
			"7 message.posted 2 msg_2 agt_ada three", "8 message.posted 3 msg_3 agt_ada four", "9 event.emitted bell",
		}},
		"a server that tells no messages by events": {scripts.Edge, otherServer(t), scripts.Options{Room: "room_9"}, []string{
			"1 event.emitted begun", "2 message.posted 0 msg_room_9_1 user one", "3 message.posted 1 msg_room_9_2 user two",
			"4 message.posted 2 msg_room_9_3 user three", "5 event.emitted ended",
		}},
		"pages of history": {scripts.Areyouai, pages, scripts.Options{}, []string{
			"1 room.created", "2 member.joined agt_ada", `3 message.posted 0 msg_0 agt_ada } "{`,
		}},
		"pages behind a byte order mark": {scripts.Areyouai, "\ufeff" + pages, scripts.Options{}, []string{
			"1 room.created", "2 member.joined agt_ada", `3 message.posted 0 msg_0 agt_ada } "{`,
		}},
		"a transcript": {scripts.Areyouai, transcript, scripts.Options{}, []string{
			"1 room.created", "2 member.joined agt_ada", "3 member.joined agt_bob", "4 room.state_changed OPEN ACTIVE",
			"5 message.posted 0 msg_0 agt_ada hello", "6 room.state_changed ACTIVE CLOSED", "7 room.closed ttl_expired",
		}},
		"a Switch stream": {scripts.Switch, strings.Join([]string{
			"event: connection_state\ndata: {\"cursor\":4,\"subscriptions\":[]}\n", ": keepalive\n",
			`id: 5` + "\nevent: message\n" + `data: {"type":"message","room_id":"room_1","bridge_id":null,"channel_type":"channel_public","payload":` +
				`{"addressed":true,"sender":"agt_bob","sender_name":"bob","message_id":"msg_0","body":"hi","timestamp":1772366400000,"thread_id":null,"attachments":[]},"sequence":5}` + "\n",
			`id: 6` + "\nevent: message\n" + `data: {"type":"message","room_id":"room_1","bridge_id":null,"channel_type":"channel_public","payload":` +
				`{"addressed":false,"sender":"system","sender_name":"system","message_id":"evt_room_1_9","body":"The room is closed (its time is over).","timestamp":1772366400000,"thread_id":null,"attachments":[]},"sequence":6}` + "\n",
			"event: evicted\ndata: {}\n", "event: news\nid: 7\ndata: {\"type\":\"news\",\"room_id\":\"room_1\",\"payload\":{},\"sequence\":7}\n",
		}, "\n") + "\n", scripts.Options{Self: "agt_ada"}, []string{
			"1 message.posted 0 msg_0 agt_bob hi", "9 room.closed ttl_expired",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(t, tc.script, tc.opts, strings.NewReader(tc.text))
			require.NoError(t, err)
			var short []string
			for _, e := range got {
				short = append(short, summary(e))
			}
			require.Equal(t, tc.want, short)
		})
	}
}

// TestASocketWaitsForNothing: a message is there before the next line is, where no event can follow it.
func TestASocketWaitsForNothing(t *testing.T) {
	for name, begin := range map[string]string{
		"plain": frames(t, edgeframes.State{Snapshot: roomState}, edgeframes.Messages{Snapshot: []edgeframes.Message{}}, edgeframes.Hello{}),
		"attached without events": frames(t, attached(edgeframes.StreamMessages), edgeframes.Messages{Snapshot: []edgeframes.Message{}},
			edgeframes.Hello{}),
		"a server that tells no messages by events": frames(t, attached(edgeframes.Streams()...), edgeframes.Hello{},
			live(said(1, "ada", "one")), live(said(2, "ada", "two"))),
	} {
		r, w := io.Pipe()
		dec, err := scripts.NewDecoder(scripts.Edge, r, scripts.Options{Room: "room_1"})
		require.NoError(t, err)
		go func() { _, _ = io.WriteString(w, begin+frames(t, live(said(3, "ada", "three")))) }()
		for {
			e, err := dec.Next()
			require.NoError(t, err, name)
			if p, ok := e.Payload.(*core.MessagePostedEvent); ok && p.Text == "three" {
				break
			}
		}
		require.NoError(t, w.Close())
	}
}

// TestAConnectionThatIsCutWithinAMessage: what the next one repeats completes it, if it is of the same room.
func TestAConnectionThatIsCutWithinAMessage(t *testing.T) {
	all := attached(edgeframes.Streams()...)
	next := func(room string) string {
		state := fields(item("id", superjson.String(room)), item("floor", superjson.String("open")), item("turn", superjson.Int(1)))
		return frames(t, all, edgeframes.State{Snapshot: state}, told(4, 0, "one"), edgeframes.EventFrame{Seq: 5, Type: "bell", At: noon},
			live(said(2, "ada", "two")), turnPatch(2), told(6, 1, "two"), edgeframes.Hello{})
	}
	begin := frames(t, all, edgeframes.State{Snapshot: roomState}, edgeframes.Messages{Snapshot: []edgeframes.Message{}},
		edgeframes.EventFrame{Seq: 3, Type: "bell", At: noon}, edgeframes.Hello{}, live(said(1, "ada", "one")))
	for cut, text := range map[string]string{"behind the message": begin, "behind the state": begin + frames(t, turnPatch(1))} {
		got, err := readAll(t, scripts.Edge, scripts.Options{}, strings.NewReader(text+next("room_1")))
		require.NoError(t, err, cut)
		var short []string
		for _, e := range got {
			short = append(short, summary(e))
		}
		require.Equal(t, []string{
			"3 event.emitted bell", "4 message.posted 0 msg_0 agt_ada one", "5 event.emitted bell", "6 message.posted 1 msg_1 agt_ada two",
		}, short, cut)

		got, err = readAll(t, scripts.Edge, scripts.Options{}, strings.NewReader(text+next("room_2")))
		require.NoError(t, err, cut)
		rooms := map[string]int{}
		for _, e := range got {
			room, _ := e.Stream.RoomID()
			rooms[room]++
		}
		require.Equal(t, map[string]int{"room_1": 2, "room_2": 3}, rooms, cut)
	}
}

// TestASocketThatNeverSaysHelloIsNotHeld: what waits for it is bounded, in number and in bytes, and comes in its order.
func TestASocketThatNeverSaysHelloIsNotHeld(t *testing.T) {
	begin := frames(t, attached(edgeframes.Streams()...), live(said(1, "ada", "one")))
	for name, many := range map[string]struct{ count, size int }{"many": {1<<16 + 2, 1}, "large": {70, 1 << 20}} {
		var text strings.Builder
		text.WriteString(begin)
		for i := range many.count {
			text.WriteString(frames(t, edgeframes.EventFrame{
				Seq: uint64(9 + i), Type: "bell", At: noon, Payload: superjson.String(strings.Repeat("x", many.size)),
			}))
		}
		broken := io.MultiReader(strings.NewReader(text.String()), iotest.ErrReader(io.ErrClosedPipe))
		got, err := readAll(t, scripts.Edge, scripts.Options{Room: "room_1"}, broken)
		require.ErrorIs(t, err, io.ErrClosedPipe, name)
		require.Len(t, got, many.count+1, name)
		for i := 1; i < len(got); i++ {
			require.Less(t, got[i-1].Version, got[i].Version, name)
		}
	}
}

// TestHalfOfAPairIsRefused: no script could carry it, and nothing is altered.
func TestHalfOfAPairIsRefused(t *testing.T) {
	at := `"at":"2026-03-01T12:00:00.000Z"`
	date := func(path string) string { return `,"meta":{"values":{"` + path + `":["Date"]},"v":1}}` }
	for name, tc := range map[string]struct {
		script scripts.Script
		text   string
	}{
		"core": {scripts.Core, `{"position":1,"version":1,` + at + `,"room":"room_1","kind":"message.posted","event":{"id":"m","turn":0,"sender":"a","text":"\ud800"}}`},
		"switch": {scripts.Switch, `data: {"type":"message","room_id":"room_1","bridge_id":null,"channel_type":null,"payload":{"addressed":true,"sender":"agt_bob",` +
			`"sender_name":"bob","message_id":"msg_0","body":"\ud800","timestamp":1772366400000,"thread_id":null,"attachments":[]},"sequence":5}` + "\n"},
		"areyouai": {scripts.Areyouai, "event: message.created\nid: 3\n" + `data: {"event_id":3,"type":"message.created","room_id":"room_1","message_id":"msg_0","turn":0,` +
			`"sender_id":"agt_ada","ciphertext":"\udc00","created_at":"2026-03-01T12:00:00Z"}` + "\n"},
		"a page":      {scripts.Areyouai, strings.Replace(pages, `} \"`, `\ud800`, 1)},
		"a message":   {scripts.Edge, `{"json":{"v":1,"kind":"messages","appended":[{"role":"user","content":"\ud800","seq":1,` + at + `}]}` + date("appended.0.at")},
		"a state":     {scripts.Edge, `{"json":{"v":1,"kind":"state","patch":{"\ud800":1}}}`},
		"an event":    {scripts.Edge, `{"json":{"v":2,"kind":"event","seq":1,"type":"bell","payload":["\ud800"],` + at + `}` + date("at")},
		"a later one": {scripts.Edge, frames(t, edgeframes.State{Snapshot: roomState}) + `{"json":{"v":1,"kind":"state","patch":{"a":"\udc00"}}}`},
	} {
		_, err := readAll(t, tc.script, scripts.Options{Room: "room_1"}, strings.NewReader(tc.text+"\n"))
		require.ErrorContains(t, err, "half of a surrogate pair", name)
		var where *scripts.LineError
		require.ErrorAs(t, err, &where, name)
	}
	// What is not of the conversation is passed over.
	_, err := readAll(t, scripts.Edge, scripts.Options{Room: "room_1"}, strings.NewReader(`{"json":{"v":1,"kind":"result","id":"1","value":"\ud800"}}`))
	require.NoError(t, err)
}

func TestFramesOfNoRoomAreRefused(t *testing.T) {
	text := frames(t, attached(edgeframes.StreamMessages), edgeframes.Hello{}, live(said(1, "ada", "one")))
	_, err := readAll(t, scripts.Edge, scripts.Options{}, strings.NewReader(text))
	require.EqualError(t, err, "line 3: the frames do not tell which room they are of; name it")
}
