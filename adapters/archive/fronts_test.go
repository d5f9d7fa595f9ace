package archive_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/archive"
	"stele/areyouai"
	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	agentswitch "stele/switch"
)

// gateway is a node with all three doors open.
type gateway struct {
	t    *testing.T
	node *core.Node
	url  string
}

func newGateway(t *testing.T, o core.Options) *gateway {
	t.Helper()
	n, end := openNode(t, o)
	g := adapters.New(n, adapters.Options{})
	srv := httptest.NewServer(g.Handler())
	t.Cleanup(func() {
		g.Drain()
		srv.Close()
		end()
	})
	return &gateway{t: t, node: n, url: srv.URL}
}

// transcript is what the areyouai door shows to whoever has the code.
func (g *gateway) transcript(room, code string) []byte {
	g.t.Helper()
	res, err := http.Post(g.url+"/v1/rooms/"+room+"/transcript", "application/json", strings.NewReader(`{"human_code":"`+code+`"}`))
	require.NoError(g.t, err)
	defer func() { require.NoError(g.t, res.Body.Close()) }()
	body, err := io.ReadAll(res.Body)
	require.NoError(g.t, err)
	require.Equal(g.t, 200, res.StatusCode, "%s", body)
	return body
}

// readContext is what the Switch door answers to read_context, as it is on the wire under "result".
func (g *gateway) readContext(room string, who core.Registered) []byte {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: g.url, AgentID: who.Agent.ID, APIKey: who.Key})
	require.NoError(g.t, err)
	stream, err := c.Open(ctx, agentswitch.StreamOptions{ConnectionID: "conn-" + room})
	require.NoError(g.t, err)
	defer func() { require.NoError(g.t, stream.Close()) }()
	c = c.WithConnection(stream.ConnectionID())
	_, err = c.ConnectToRoom(ctx, room)
	require.NoError(g.t, err)
	var raw json.RawMessage
	require.NoError(g.t, c.Call(ctx, agentswitch.OpReadContext, map[string]any{"limit": 1000}, &raw))
	return raw
}

// snapshot is the messages frame with which an edge socket begins.
func (g *gateway) snapshot(room string, who core.Registered) []byte {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	frames := make(chan []byte, 64)
	c, err := edgeframes.Dial(ctx, "ws"+strings.TrimPrefix(g.url, "http")+"/agents/"+who.Agent.ID+"/"+room, edgeframes.ClientOptions{
		Token: who.Key, OnRaw: func(d edgeframes.Direction, text []byte) {
			if f, err := edgeframes.ParseKnown(text, superjson.Limits{MaxBytes: 1 << 26}); d == edgeframes.Received && err == nil {
				if m, ok := f.(edgeframes.Messages); ok && m.Snapshot != nil {
					frames <- append([]byte(nil), text...)
				}
			}
		},
	})
	require.NoError(g.t, err)
	defer c.Close()
	select {
	case f := <-frames:
		return f
	case <-ctx.Done():
		g.t.Fatal("no snapshot came")
		return nil
	}
}

// line is a message as somebody sees it.
type line struct {
	Who, Text string
	At        time.Time
}

// conversation is what was said in a room, by its log.
func conversation(t tb, n *core.Node, room string) (out []line) {
	t.Helper()
	for e, err := range n.HistoryOf(room).MessagesFrom(context.Background(), 0) {
		require.NoError(t, err)
		p := e.Payload.(*core.MessagePostedEvent)
		out = append(out, line{Who: p.SenderName, Text: p.Text, At: e.At})
	}
	return out
}

// duel is a room of turns with a code for people, in which two spoke.
func (g *gateway) duel(ada, bob core.Registered, clock func(time.Duration)) (room, code string) {
	g.t.Helper()
	code = "hc_something"
	made, _, err := g.node.CreateRoom(g.t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "Tea <or> coffee", Floor: core.FloorTurns}, Members: []core.NewMember{member(ada), member(bob)},
		HumanCodeHash: core.HashSecret(code),
	}, nil)
	require.NoError(g.t, err)
	for i, text := range []string{"tea", "coffee \"of course\"", "😀 שלום\r\nwhy"} {
		clock(1234 * time.Millisecond)
		_, _, err := g.node.PostMessage(g.t.Context(), made.Room, core.PostMessage{Sender: []core.Registered{ada, bob}[i%2].Agent.ID, Text: text}, nil)
		require.NoError(g.t, err)
	}
	return made.Room, code
}

// ops is an open room with a thread, in which three spoke.
func (g *gateway) ops(clock func(time.Duration), people ...core.Registered) string {
	g.t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}}
	for _, p := range people {
		cmd.Members = append(cmd.Members, member(p))
	}
	made, _, err := g.node.CreateRoom(g.t.Context(), cmd, nil)
	require.NoError(g.t, err)
	first := ""
	for i, text := range []string{"who is @bob?", "me", "in the thread", "at once", "at once too"} {
		if i < 4 {
			clock(time.Second)
		}
		m := core.PostMessage{Sender: people[i%len(people)].Agent.ID, Text: text}
		if i == 2 {
			m.Thread = first
		}
		posted, _, err := g.node.PostMessage(g.t.Context(), made.Room, m, nil)
		require.NoError(g.t, err)
		if i == 0 {
			first = posted.Message
		}
	}
	return made.Room
}

// TestForeignFormsFromTheDoors: what each door really shows becomes a room elsewhere with the same words, people, times and
// order, and is refused a second time.
func TestForeignFormsFromTheDoors(t *testing.T) {
	clock := newClock()
	g := newGateway(t, core.Options{Now: clock.Now})
	ada, bob, cleo := register(t, g.node, "ada"), register(t, g.node, "bob"), register(t, g.node, "cleo")
	duel, code := g.duel(ada, bob, clock.Advance)
	ops := g.ops(clock.Advance, ada, bob, cleo)
	answer := g.readContext(ops, ada)
	for _, tc := range []struct {
		name, room string
		form       archive.Form
		file       []byte
		floor      core.Floor
	}{
		{"a transcript", duel, archive.Areyouai, g.transcript(duel, code), core.FloorTurns},
		{"read_context", ops, archive.Switch, answer, core.FloorOpen},
		{"read_context as a call answers it", ops, archive.Switch, []byte(`{"result":` + string(answer) + `}`), core.FloorOpen},
		{"a messages frame", ops, archive.Edge, g.snapshot(ops, bob), core.FloorOpen},
	} {
		t.Run(tc.name, func(t *testing.T) {
			there := newGateway(t, core.Options{Now: clock.Now})
			me := register(t, there.node, "bob")
			a, err := archive.Read(t.Context(), strings.NewReader(string(tc.file)), archive.ReadOptions{})
			require.NoError(t, err)
			require.Equal(t, tc.form, a.Form)
			got := bring(t, there.node, tc.file, func(c *core.ImportRoom) { c.MatchHandles = true })
			require.Equal(t, conversation(t, g.node, tc.room), conversation(t, there.node, got.Room))
			require.Equal(t, []string{me.Agent.ID}, got.Members)
			require.Equal(t, core.StateActive, got.State)
			sum, _ := there.node.Room(got.Room)
			require.Equal(t, tc.floor, sum.Floor)
			require.Zero(t, got.Backwards)

			_, err = there.node.ImportRoom(t.Context(), core.ImportRoom{Events: a.Events})
			var before *core.AlreadyImportedError
			require.ErrorAs(t, err, &before)
			require.Equal(t, got.Room, before.Room)

			// And a read of the new room at each door says the same.
			there.everyDoorShows(got.Room, me, conversation(t, g.node, tc.room))
		})
	}
}

// everyDoorShows asks all three doors for the conversation.
func (g *gateway) everyDoorShows(room string, who core.Registered, want []line) {
	g.t.Helper()
	var texts []string
	var times []time.Time
	for _, l := range want {
		texts, times = append(texts, l.Text), append(times, l.At)
	}
	answer := struct {
		Threads []struct {
			Root    agentswitch.Entry   `json:"root"`
			Replies []agentswitch.Entry `json:"replies"`
		} `json:"threads"`
	}{}
	require.NoError(g.t, json.Unmarshal(g.readContext(room, who), &answer))
	found := map[string]int64{}
	for _, t := range answer.Threads {
		for _, e := range append(t.Replies, t.Root) {
			found[e.Body] = *e.Timestamp
		}
	}
	for _, l := range want {
		require.Equal(g.t, l.At.UnixMilli(), found[l.Text], "%q", l.Text)
	}

	f, err := edgeframes.ParseKnown(g.snapshot(room, who), superjson.Limits{})
	require.NoError(g.t, err)
	var shown []line
	for _, m := range f.(edgeframes.Messages).Snapshot {
		shown = append(shown, line{Who: m.Name, Text: m.Content, At: m.At})
	}
	require.Equal(g.t, want, shown)

	c, err := areyouai.NewClient(g.url, areyouai.ClientOptions{APIKey: who.Key})
	require.NoError(g.t, err)
	defer http.DefaultClient.CloseIdleConnections()
	h, err := c.History(g.t.Context(), room, 0, 200)
	require.NoError(g.t, err)
	var said []string
	var at []time.Time
	for _, e := range h.Items {
		if e.Type == areyouai.EventMessageCreated {
			said, at = append(said, e.Ciphertext), append(at, e.CreatedAt.Time)
		}
	}
	require.Equal(g.t, texts, said)
	require.Equal(g.t, times, at)
}

// TestMembersSeeTheHistoryAtEveryDoor: after an import of a whole room its members find what was said with the old times,
// and the Switch stream, which shows what is new, shows none of it.
func TestMembersSeeTheHistoryAtEveryDoor(t *testing.T) {
	clock := newClock()
	g := newGateway(t, core.Options{Now: clock.Now})
	ada, bob, cleo := register(t, g.node, "ada"), register(t, g.node, "bob"), register(t, g.node, "cleo")
	ops := g.ops(clock.Advance, ada, bob, cleo)
	file := export(t, g.node, ops, false)
	clock.Advance(48 * time.Hour)
	there := newGateway(t, core.Options{Now: clock.Now})
	me, you := register(t, there.node, "ada"), register(t, there.node, "bob")
	reader := there.node.NewAgentReader(me.Agent.ID, 0)
	defer reader.Close()
	got := bring(t, there.node, file, func(c *core.ImportRoom) { c.MatchHandles = true })
	require.ElementsMatch(t, []string{me.Agent.ID, you.Agent.ID}, got.Members)
	require.Equal(t, []string{cleo.Agent.ID}, got.Absent)
	there.everyDoorShows(got.Room, me, conversation(t, g.node, ops))
	entries, err := reader.Read(t.Context(), 100, nil)
	require.NoError(t, err)
	require.Empty(t, entries)
}
