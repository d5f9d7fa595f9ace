package operations_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

var update = flag.Bool("update", false, "write the golden files anew")

type world struct {
	n   *core.Node
	ops *operations.Registry
	ms  atomic.Int64
}

func (w *world) clock() time.Time { return time.UnixMilli(w.ms.Load()) }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.ms.Store(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC).UnixMilli())
	n, err := core.Open(t.Context(), memlog.New(), core.Options{Now: w.clock, SweepEvery: time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close(context.Background())) })
	w.n, w.ops = n, operations.New(n)
	return w
}

func (w *world) agent(t *testing.T, handle string) core.Agent {
	t.Helper()
	r, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle, Model: core.ModelSession}})
	require.NoError(t, err)
	return r.Agent
}

// connect opens a connection with a claim, as a caller has it.
func (w *world) connect(t *testing.T, a core.Agent, rooms ...string) operations.Caller {
	t.Helper()
	o, err := w.n.OpenConnection(t.Context(), a.ID, core.OpenRequest{
		ID: "c-" + a.Handle, Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: rooms,
	})
	require.NoError(t, err)
	return operations.Caller{Agent: a.ID, Connection: &o.Connection}
}

func (w *world) call(t *testing.T, c operations.Caller, name, args string) (string, error) {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(args), &fields))
	result, err := w.ops.Call(t.Context(), name, c, fields)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(result)
	require.NoError(t, err)
	return string(b), nil
}

func (w *world) must(t *testing.T, c operations.Caller, name, args string) string {
	t.Helper()
	out, err := w.call(t, c, name, args)
	require.NoError(t, err)
	return out
}

func (w *world) room(t *testing.T, c operations.Caller, args string) string {
	t.Helper()
	var made struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "create_room", args)), &made))
	return made.ID
}

// TestSchemas compares the schemas with the golden file, byte for byte. Those of the file follow the rules that the
// Switch protocol's reference prints by.
func TestSchemas(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	for _, d := range w.ops.List() {
		require.NotEmpty(t, d.Description)
		require.True(t, json.Valid(d.Schema), d.Name)
		fmt.Fprintf(&b, "%s %s\n", d.Name, d.Schema)
	}
	path := filepath.Join("testdata", "schemas.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// TestDescriptionsNameWhatMayBeGiven: a schema gives no argument a description, so a model knows of an optional one, and of
// the words it may be, only what the operation's own text says.
func TestDescriptionsNameWhatMayBeGiven(t *testing.T) {
	for _, d := range newWorld(t).ops.List() {
		for _, p := range d.Params {
			if !p.Required {
				require.Contains(t, d.Description, p.Name, d.Name)
			}
		}
	}
}

func TestArgumentsAreCheckedBeforeAnythingRuns(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := w.connect(t, ada, room)
	before := w.n.Applied()
	for _, tc := range []struct{ op, args, want string }{
		{"post_message", `{}`, "missing required arguments: body"},
		{"post_message", `{"body":"x","b":1,"a":2}`, "unexpected arguments: a, b"},
		{"post_message", `{"a":1}`, "unexpected arguments: a"},
		{"post_message", `{"body":5}`, `argument "body" must be a string`},
		{"post_message", `{"body":null}`, `argument "body" must be a string`},
		{"post_message", `{"body":"x","thread_id":7}`, `argument "thread_id" must be a string or null`},
		{"post_message", `{"body":"x","thread_id":"msg_nonsense"}`, `argument "thread_id"`},
		{"read_context", `{"limit":"5"}`, `argument "limit" must be an integer`},
		{"read_context", `{"limit":1.5}`, `argument "limit" must be an integer`},
		{"read_context", `{"since":"yesterday"}`, `argument "since" must be a time`},
		{"read_context", `{"before":1767323045678}`, `argument "before" must be a string or null`},
		{"list_rooms", `{"include_archived":"yes"}`, `argument "include_archived" must be true or false`},
		{"create_room", `{"name":"x","description":""}`, "missing required arguments: agent_names"},
		{"create_room", `{"name":"x","description":"","agent_names":"ada"}`, `argument "agent_names" must be a list, each item a string`},
		{"create_room", `{"name":"x","description":"","agent_names":[1]}`, `argument "agent_names"`},
		{"create_room", `{"name":"x","description":"","agent_names":["nobody"]}`, `argument "agent_names": no agent "nobody"`},
		{"create_room", `{"name":" ","description":"","agent_names":[]}`, "name"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"channel_type":"tube"}`, "channel_type"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"read_visibility":"private"}`, "write_visibility"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"bridge_id":"slack"}`, "bridge_id"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"user_names":["u"]}`, "user_names"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"reference_ids":["r"]}`, "must have an owner"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"package_ids":["p"]}`, "package_ids"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"group_name":"g"}`, "group_name"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"roles":[{"name":"a b","instructions":""}]}`, "roles"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"roles":[{"name":"a"}]}`, "roles"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"roles":[{"name":1,"instructions":""}]}`, "roles"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"linked_rooms":[{"target_room_id":"r","label":"l"}]}`, "linked_rooms"},
		{"create_room", `{"name":"x","description":"","agent_names":["ada"],"aliases":{"ada":"a b"}}`, "alias"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"aliases":{"ada":"a"}}`, "aliases"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"join_event_listeners":["ada"]}`, "join_event_listeners"},
		{"create_room", `{"name":"x","description":"","agent_names":[],"include_subagents_for":["nobody"]}`, "include_subagents_for"},
		{"connect_to_room", `{"room_id":"room_none"}`, "no such room"},
		{"no_such_operation", `{}`, "known operations: list_rooms, connect_to_room, list_"},
	} {
		_, err := w.call(t, c, tc.op, tc.args)
		require.Error(t, err, "%s %s", tc.op, tc.args)
		require.ErrorContains(t, err, tc.want, "%s %s", tc.op, tc.args)
	}
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}

func TestCurrentRoom(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	nowhere := operations.Caller{Agent: ada.ID}
	room := w.room(t, nowhere, `{"name":"ops","description":"d","agent_names":["ada"]}`)
	other := w.room(t, nowhere, `{"name":"other","description":"","agent_names":[]}`)
	for _, op := range []string{"read_context", "list_participants"} {
		_, err := w.call(t, nowhere, op, `{}`)
		require.ErrorIs(t, err, operations.ErrNotConnected)
		_, err = w.call(t, w.connect(t, ada), op, `{}`)
		require.ErrorIs(t, err, operations.ErrNotConnected)
		_, err = w.call(t, operations.Caller{Agent: ada.ID, Connection: &core.Connection{Rooms: []string{room, other}}}, op, `{}`)
		require.ErrorIs(t, err, operations.ErrSeveralRooms)
		_, err = w.call(t, operations.Caller{Agent: ada.ID, Room: other}, op, `{}`)
		require.ErrorIs(t, err, core.ErrNotMember)
		w.must(t, operations.Caller{Agent: ada.ID, Room: room}, op, `{}`)
	}
	_, err := w.call(t, nowhere, "connect_to_room", `{"room_id":"`+room+`"}`)
	require.ErrorIs(t, err, operations.ErrNoConnection)
	_, err = w.call(t, w.connect(t, ada), "connect_to_room", `{"room_id":"`+other+`"}`)
	require.ErrorIs(t, err, core.ErrNotMember)

	require.JSONEq(t, `[{"room_id":"`+room+`","name":"ops","description":"d","connected":true,"archived":false}]`,
		w.must(t, w.connect(t, ada, room), "list_rooms", `{}`))
	require.JSONEq(t, `[{"room_id":"`+room+`","name":"ops","description":"d","connected":false,"archived":false}]`,
		w.must(t, nowhere, "list_rooms", `{"include_archived":true}`))
}

func TestConnectToRoom(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	nowhere := operations.Caller{Agent: ada.ID}
	target := w.room(t, nowhere, `{"name":"target","description":"td","agent_names":[]}`)
	room := w.room(t, nowhere, `{"name":"ops","description":"d","agent_names":["ada","bob"],"instructions":"Be kind.",
		"aliases":{"bob":"boss"},"roles":[{"name":"judge","instructions":"Judge.","exclusive":true}],
		"linked_rooms":[{"target_room_id":"`+target+`","label":"see"}]}`)
	var out operations.RoomContext
	require.NoError(t, json.Unmarshal([]byte(w.must(t, w.connect(t, ada), "connect_to_room", `{"room_id":"`+room+`"}`)), &out))
	require.Equal(t, ada.ID, out.AgentID)
	require.Equal(t, room, out.RoomID)
	require.Nil(t, out.Warning)
	require.Len(t, out.Participants, 2)
	require.Equal(t, bob.ID, out.Participants[1].ID)
	require.Equal(t, "boss", *out.Participants[1].Alias)
	require.EqualValues(t, core.StatusNoSession, *out.Participants[1].Status)
	require.Contains(t, out.Instructions, "Be kind.")
	require.Contains(t, out.Instructions, `You are @ada in the room "ops"`)
	require.Equal(t, "not_member", out.LinkedRooms[0].Access)
	require.Equal(t, "judge", out.Roles[0].Name)
	require.Equal(t, "Judge.", out.Roles[0].InstructionsPreview)

	short := w.must(t, w.connect(t, ada), "connect_to_room", `{"room_id":"`+room+`","include_general_instructions":false}`)
	require.NotContains(t, short, "You are @ada")
	require.Contains(t, short, "Be kind.")

	// A room that speaks in turns takes no tasks, and its members are told of turns instead.
	listed := decode[operations.ListingCreated](t, w, nowhere, "create_listing", `{"topic":"tea"}`)
	turns := w.must(t, w.connect(t, ada), "connect_to_room", `{"room_id":"`+listed.RoomID+`"}`)
	require.Contains(t, turns, "turn-based")
	require.NotContains(t, turns, "delegate_task")
	require.Contains(t, out.Instructions, "delegate_task")
	w.connect(t, ada, room)

	// The newcomer wins, and is told whom it displaced.
	o, err := w.n.OpenConnection(t.Context(), ada.ID, core.OpenRequest{ID: "second", Scope: core.ScopeSingle, Filter: core.FilterAll})
	require.NoError(t, err)
	won := w.must(t, operations.Caller{Agent: ada.ID, Connection: &o.Connection}, "connect_to_room", `{"room_id":"`+room+`"}`)
	require.Contains(t, won, "c-ada")
	require.Contains(t, won, "lost it to this one")
}

func TestReadContext(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	a, b := operations.Caller{Agent: ada.ID, Room: room}, operations.Caller{Agent: bob.ID, Room: room}
	say := func(c operations.Caller, text, thread string) string {
		w.ms.Add(1000)
		args, err := json.Marshal(map[string]any{"body": text, "thread_id": thread})
		require.NoError(t, err)
		if thread == "" {
			args, err = json.Marshal(map[string]any{"body": text})
			require.NoError(t, err)
		}
		var posted operations.PostedRow
		require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "post_message", string(args))), &posted))
		return posted.EventID
	}
	first := say(a, "first", "")
	second := say(b, "second", "")
	reply := say(b, "reply to first", first)
	say(a, "reply to the reply", reply)
	third := say(a, "third", "")

	read := func(args string) (out operations.Context) {
		require.NoError(t, json.Unmarshal([]byte(w.must(t, a, "read_context", args)), &out))
		return out
	}
	all := read(`{}`)
	require.False(t, all.Truncated)
	var roots []string
	for _, th := range all.Threads {
		roots = append(roots, *th.Root.Body)
	}
	require.Equal(t, []string{"ada joined the room", "bob joined the room", "second", "first", "third"}, roots)
	require.Len(t, all.Threads[3].Replies, 2)
	require.Equal(t, "reply to the reply", *all.Threads[3].Replies[1].Body)
	require.Equal(t, first, all.Threads[3].Root.ID)

	// The root of a reply is shown although it lies outside the window.
	two := read(`{"limit":2}`)
	require.True(t, two.Truncated)
	require.Equal(t, first, two.Threads[0].Root.ID)
	require.Len(t, two.Threads[0].Replies, 1)
	require.Equal(t, third, two.Threads[1].Root.ID)

	require.True(t, read(`{"limit":7}`).Truncated, "the walk stopped at the limit")
	require.False(t, read(`{"limit":8}`).Truncated)
	none := read(`{"limit":0}`)
	require.True(t, none.Truncated)
	require.Empty(t, none.Threads)

	at := time.UnixMilli(*all.Threads[2].Root.Timestamp).UTC()
	since := read(`{"since":"` + at.Format(time.RFC3339Nano) + `"}`)
	require.False(t, since.Truncated)
	require.Equal(t, second, since.Threads[0].Root.ID, "since is inclusive")
	before := read(`{"before":"` + at.Format("2006-01-02T15:04:05.999") + `"}`)
	require.Equal(t, first, before.Threads[len(before.Threads)-1].Root.ID, "before is exclusive")

	_, _, err := w.n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: ada.ID}, nil)
	require.NoError(t, err)
	closed := read(`{"limit":1}`)
	require.Equal(t, core.SystemSender, *closed.Threads[0].Root.Sender)
	_, err = w.call(t, a, "post_message", `{"body":"too late"}`)
	var ended *core.RoomNotActiveError
	require.ErrorAs(t, err, &ended)
}

// TestPagingBackReachesTheBeginning pages through a long history by time, as the description says.
func TestPagingBackReachesTheBeginning(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := operations.Caller{Agent: ada.ID, Room: room}
	for i := range 400 {
		w.ms.Add(1)
		w.must(t, c, "post_message", fmt.Sprintf(`{"body":"m%d"}`, i))
	}
	var got []string
	before := ""
	for {
		args := `{"limit":37}`
		if before != "" {
			args = `{"limit":37,"before":"` + before + `"}`
		}
		var out operations.Context
		require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "read_context", args)), &out))
		page := []string{}
		for _, th := range out.Threads {
			page = append(page, *th.Root.Body)
		}
		got = append(page, got...)
		if !out.Truncated {
			break
		}
		before = time.UnixMilli(*out.OldestTimestamp).UTC().Format(time.RFC3339Nano)
	}
	require.Len(t, got, 401)
	require.Equal(t, "m0", got[1])
	require.Equal(t, "m399", got[400])
}
