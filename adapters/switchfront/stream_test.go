package switchfront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core"
)

// at is the standing clock of a test's gateway, in milliseconds.
const at = 1767323045678

func message(room string, pos core.Position, addressed bool, sender *agent, id, body string) string {
	return fmt.Sprintf("id: %d\nevent: message\ndata: "+
		`{"type":"message","room_id":"%s","bridge_id":null,"channel_type":"channel_public","payload":`+
		`{"addressed":%v,"sender":"%s","sender_name":"%s","message_id":"%s","body":"%s","timestamp":%d,`+
		`"thread_id":null,"attachments":[]},"sequence":%d}`+"\n\n",
		pos, room, addressed, sender.id, sender.name, id, body, at, pos)
}

// TestDeliveredBytes is a conversation as one stream shows it, byte by byte.
func TestDeliveredBytes(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, c := g.register("alice"), g.register("bob"), g.register("carol")
	room := a.room(`,"join_event_listeners":["alice"]`, a, b)
	s := a.open("c-a", "&rooms="+room).hello()
	l := b.open("c-b", "&rooms="+room).hello()
	b.open("c-post", "").hello()

	id, pos := b.post(room, `say \"hi\" <&> \u2028`)
	require.Equal(t, message(room, pos, false, b, id, `say \\\"hi\\\" <&> \\u2028`), s.next())
	id, pos = b.post(room, "now @alice")
	require.Equal(t, message(room, pos, true, b, id, "now @alice"), s.next())

	require.NoError(t, g.node.JoinRoom(context.Background(), room, core.JoinRoom{Member: core.NewMember{Agent: c.id, Name: "Carol", Handle: "carol"}}))
	pos = g.node.Applied()
	join := func(listening bool) string {
		return fmt.Sprintf("id: %d\nevent: room_join\ndata: "+
			`{"type":"room_join","room_id":"%s","bridge_id":null,"channel_type":"channel_public","payload":`+
			`{"member":"%s","member_name":"carol","timestamp":%d,"listening":%v},"sequence":%d}`+"\n\n",
			pos, room, c.id, at, listening, pos)
	}
	require.Equal(t, join(true), s.next())
	require.Equal(t, join(false), l.next(), "listening is each receiver's own")

	_, _, err := g.node.CloseRoom(context.Background(), room, core.CloseRoom{Actor: c.id}, nil)
	require.NoError(t, err)
	pos = g.node.Applied()
	notice := fmt.Sprintf("id: %d\nevent: message\ndata: "+
		`{"type":"message","room_id":"%s","bridge_id":null,"channel_type":"channel_public","payload":`+
		`{"addressed":false,"sender":"system","sender_name":"system","message_id":"evt_%s_8","body":"The room is closed (a member closed it).",`+
		`"timestamp":%d,"thread_id":null,"attachments":[]},"sequence":%d}`+"\n\n", pos, room, room, at, pos)
	require.Equal(t, notice, s.next())
	require.Equal(t, notice, l.next())
}

func TestThreadsAndChannelTypes(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room(`,"channel_type":"direct"`, a, b)
	s := a.open("c-a", "&rooms="+room).hello()
	b.open("c-b", "&rooms="+room).hello()
	root := b.must("c-b", "post_message", `{"body":"root"}`)["event_id"].(string)
	_, data := event(t, s.next())
	require.Equal(t, "direct", data["channel_type"])
	require.Equal(t, true, data["payload"].(map[string]any)["addressed"], "a direct message addresses")
	reply := b.must("c-b", "post_message", `{"body":"reply","thread_id":"`+root+`"}`)["event_id"].(string)
	_, data = event(t, s.next())
	require.Equal(t, root, data["payload"].(map[string]any)["thread_id"])
	b.must("c-b", "post_message", `{"body":"reply to the reply","thread_id":"`+reply+`"}`)
	_, data = event(t, s.next())
	require.Equal(t, root, data["payload"].(map[string]any)["thread_id"], "threads are flat")
	r := b.op("c-b", "post_message", `{"body":"x","thread_id":"msg_x"}`)
	require.Equal(t, 400, r.status, r.body)
}

// TestSenderNeverHearsItself, on none of its connections.
func TestSenderNeverHearsItself(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-1", "&rooms="+room).hello()
	all := a.open("c-2", "&scope=all&rooms="+a.room("", a)).hello()
	a.post(room, "from alice")
	b.post(room, "from bob")
	require.Equal(t, "from bob", s.body())
	other := b.room("", b, a)
	a.post(other, "from alice")
	b.post(other, "from bob elsewhere")
	require.Equal(t, "from bob elsewhere", all.body())
}

// TestMentions decides what the protocol leaves open: a full stop that ends a sentence does not belong to a name.
func TestMentions(t *testing.T) {
	g := newGateway(t, setup{})
	bug, bug2, b := g.register("cc-bug"), g.register("cc-bug-2"), g.register("bob")
	room := b.room(`,"aliases":{"cc-bug":"Helper"}`, bug, bug2, b)
	one, two := bug.open("c-1", "&rooms="+room).hello(), bug2.open("c-2", "&rooms="+room).hello()
	for text, want := range map[string][2]bool{
		"hello":            {false, false},
		"@cc-bug hello":    {true, false},
		"@cc-bug-2 hello":  {false, true},
		"@cc-bug, hello":   {true, false},
		"@CC-Bug: hello":   {true, false},
		"(@cc-bug)":        {true, false},
		"ask @cc-bug.":     {true, false},
		"ask @cc-bug. Now": {true, false},
		"ask @cc-bug.x":    {false, false},
		"@*cc-bug* hello":  {true, false},
		"bob@cc-bug":       {true, false},
		"@helper hello":    {true, false},
		"@*helper* hello":  {false, false},
		"@all @here":       {false, false},
		"cc-bug":           {false, false},
	} {
		b.post(room, text)
		for i, s := range []*tap{one, two} {
			_, data := event(t, s.next())
			require.Equal(t, want[i], data["payload"].(map[string]any)["addressed"], "%s to %d", text, i)
		}
	}
}

// TestTurnIsAddressed: in a turn-based room a message addresses whoever may speak next, and a post out of turn is
// refused by name.
func TestTurnIsAddressed(t *testing.T) {
	ctx := context.Background()
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	made, _, err := g.node.CreateRoom(ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "duel", Floor: core.FloorTurns, MaxTurns: 3},
		Members: []core.NewMember{
			{Agent: a.id, Name: "alice", Handle: "alice"}, {Agent: b.id, Name: "bob", Handle: "bob"},
		},
	}, nil)
	require.NoError(t, err)
	sa, sb := a.open("c-a", "&filter=addressed&rooms="+made.Room).hello(), b.open("c-b", "&rooms="+made.Room).hello()
	r := b.op("c-b", "post_message", `{"body":"me first"}`)
	require.Equal(t, 403, r.status, r.body)
	require.Contains(t, r.body, "alice")
	for i, tc := range []struct {
		from *agent
		conn string
		to   *tap
	}{{a, "c-a", sb}, {b, "c-b", sa}, {a, "c-a", sb}} {
		tc.from.must(tc.conn, "post_message", fmt.Sprintf(`{"body":"turn %d"}`, i))
		_, data := event(t, tc.to.next())
		require.Equal(t, i < 2, data["payload"].(map[string]any)["addressed"], "after the last turn nobody is asked")
	}
	require.Equal(t, "The room is closed (all its turns are used).", sb.body())
	r = b.op("c-b", "post_message", `{"body":"too late"}`)
	require.Equal(t, 400, r.status, r.body)
	require.Contains(t, r.body, "CLOSED")
}

// TestFilterMovesPastWhatItExcludes: a filtered stream once spun over excluded events. It must reach its wait (so its
// keepalives come and its beats are answered), and its cursor must have passed them.
func TestFilterMovesPastWhatItExcludes(t *testing.T) {
	g := newGateway(t, setup{front: switchfront.Options{KeepAlive: time.Millisecond}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-1", "&filter=addressed&rooms="+room).hello()
	var last core.Position
	for i := range 500 {
		_, last = b.post(room, fmt.Sprintf("chatter %d", i))
	}
	eventually(t, "the cursor passes what is excluded", func() bool {
		r := a.beat("c-1", 0)
		return r.body == fmt.Sprintf(`{"ok":true,"rooms":["%s"],"cursor":%d}`, room, last)
	})
	f, _ := s.any()
	require.Equal(t, ": keepalive\n\n", f)
	b.post(room, "hey @alice")
	require.Equal(t, "hey @alice", s.body())
}

// TestSeveralConnectionsSeeTheSame: reading takes nothing away from anybody.
func TestSeveralConnectionsSeeTheSame(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	taps := []*tap{a.open("c-1", "&scope=all").hello(), a.open("c-2", "&scope=all&filter=all").hello(), a.open("c-3", "&scope=all").hello()}
	for i := range 20 {
		id, pos := b.post(room, fmt.Sprint(i))
		for _, s := range taps {
			require.Equal(t, message(room, pos, false, b, id, fmt.Sprint(i)), s.next())
		}
	}
}

// TestJoining: arrivals are told once, to the others only, and the first message to a newcomer is not lost.
func TestJoining(t *testing.T) {
	ctx := context.Background()
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a)
	sa, sb := a.open("c-a", "&scope=all").hello(), b.open("c-b", "&scope=all").hello()
	a.post(room, "before bob came")
	join := core.JoinRoom{Member: core.NewMember{Agent: b.id, Name: "bob", Handle: "bob"}}
	require.NoError(t, g.node.JoinRoom(ctx, room, join))
	require.NoError(t, g.node.JoinRoom(ctx, room, join), "joining again changes nothing")
	a.post(room, "welcome @bob")
	kind, data := event(t, sa.next())
	require.Equal(t, "room_join", kind)
	require.Equal(t, b.id, data["payload"].(map[string]any)["member"])
	require.Equal(t, "welcome @bob", sb.body(), "nothing from before the arrival, nothing about the arrival, nothing lost after it")
	b.post(room, "thanks")
	require.Equal(t, "thanks", sa.body(), "one arrival, told once")
}

// TestKeepalive: a comment after silence, and only then.
func TestKeepalive(t *testing.T) {
	g := newGateway(t, setup{front: switchfront.Options{KeepAlive: 20 * time.Millisecond}})
	s := g.register("alice").open("c-1", "").hello()
	for range 3 {
		f, ok := s.any()
		require.True(t, ok)
		require.Equal(t, ": keepalive\n\n", f)
	}
}

// TestDrainEndsStreams in order, keeps their connections, and refuses new ones.
func TestDrainEndsStreams(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	s := a.open("c-1", "").hello()
	g.front.Drain()
	g.front.Drain()
	s.ended()
	refused, err := a.tryOpen("c-1", "")
	require.NoError(t, err)
	require.Equal(t, 503, refused.status)
	require.Contains(t, refused.refusal, `{"detail":"`)
	_, err = g.node.Connection(context.Background(), a.id, "c-1")
	require.NoError(t, err, "a connection outlives its stream")
}

// TestNodeEndsStreams: a node that stopped delivers nothing, so its streams must end.
func TestNodeEndsStreams(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	s := a.open("c-1", "").hello()
	require.NoError(t, g.node.Close(context.Background()))
	s.ended()
	require.Equal(t, 503, a.op("", "create_room", `{"name":"n","description":"d","agent_names":[]}`).status)
}
