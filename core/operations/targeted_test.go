package operations_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func (w *world) lastMessage(t *testing.T, room string) (m core.Message) {
	t.Helper()
	require.NoError(t, w.n.ViewRoom(t.Context(), room, func(v *core.Room) { m = v.Recent[len(v.Recent)-1] }))
	return m
}

func TestSendTargetedMessage(t *testing.T) {
	w := newWorld(t)
	ada, bob, _ := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "cid")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob","cid"],
		"aliases":{"cid":"Boss"},"roles":[{"name":"judge","instructions":""}]}`)
	w.connect(t, bob, room)
	c := operations.Caller{Agent: ada.ID, Room: room}
	root := w.must(t, c, "post_message", `{"body":"root"}`)
	rootID := root[len(`{"event_id":"`) : len(root)-2]

	for _, tc := range []struct{ args, text, statuses string }{
		{`{"body":"hi","target_names":["bob"]}`, "@bob hi", `{"bob":"live"}`},
		{`{"body":"hi","target_names":["BOSS"]}`, "@BOSS hi", `{"BOSS":"no_session"}`},
		{`{"body":"hi","target_roles":["judge"]}`, "@judge hi", `{}`},
		{`{"body":"hi","target_names":[],"target_roles":["judge"]}`, "@judge hi", `{}`},
		{`{"body":"hi","target_names":["cid","bob"],"target_roles":["judge"]}`, "@cid @bob @judge hi", `{"cid":"no_session","bob":"live"}`},
		{`{"body":"hi","target_names":["cid","boss"]}`, "@cid @boss hi", `{"cid":"no_session"}`},
		{`{"body":"","target_names":["bob"],"target_roles":null,"thread_id":null}`, "@bob ", `{"bob":"live"}`},
		{`{"body":"hi","target_names":["bob"],"thread_id":"` + rootID + `"}`, "@bob hi", `{"bob":"live"}`},
	} {
		out := w.must(t, c, "send_targeted_message", tc.args)
		m := w.lastMessage(t, room)
		require.Equal(t, tc.text, m.Text, tc.args)
		require.JSONEq(t, `{"event_id":"`+m.ID+`","target_statuses":`+tc.statuses+`}`, out, tc.args)
	}
	var context operations.Context
	require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "read_context", `{"limit":1}`)), &context))
	require.Equal(t, rootID, context.Threads[0].Root.ID, "the last one answered in the thread")
}

// TestTargetedMessageReachesHolders: one key for each agent that holds a role live, by its name.
func TestTargetedMessageReachesHolders(t *testing.T) {
	w := newWorld(t)
	ada, bob, cid := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "cid")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob","cid"],
		"aliases":{"cid":"Boss"},"roles":[{"name":"judge","instructions":""},{"name":"qa/lead","instructions":""}]}`)
	a := w.connect(t, ada, room)
	w.must(t, w.connect(t, bob, room), "assume_role", `{"role":"judge"}`)
	w.must(t, w.connect(t, cid, room), "assume_role", `{"role":"judge"}`)
	for _, tc := range []struct {
		args, statuses string
		addressed      []string
	}{
		{`{"body":"hi","target_roles":["judge"]}`, `{"bob":"live","cid":"live"}`, []string{bob.ID, cid.ID}},
		{`{"body":"hi","target_roles":["judge"],"target_names":["boss"]}`, `{"bob":"live","boss":"live"}`, []string{bob.ID, cid.ID}},
		{`{"body":"hi","target_roles":["qa/lead"]}`, `{}`, nil},
	} {
		out := w.must(t, a, "send_targeted_message", tc.args)
		require.JSONEq(t, tc.statuses, field(t, out, "target_statuses"), tc.args)
		require.ElementsMatch(t, tc.addressed, w.addressed(t, room), tc.args)
	}
	w.must(t, w.connect(t, bob, room), "release_role", `{}`)
	w.must(t, w.connect(t, bob, room), "assume_role", `{"role":"qa/lead"}`)
	out := w.must(t, a, "send_targeted_message", `{"body":"hi","target_roles":["qa/lead"]}`)
	require.JSONEq(t, `{"bob":"live"}`, field(t, out, "target_statuses"))
	require.Equal(t, []string{bob.ID}, w.addressed(t, room))

	w.ms.Add(6000)
	out = w.must(t, operations.Caller{Agent: ada.ID, Room: room}, "send_targeted_message", `{"body":"hi","target_roles":["judge","qa/lead"]}`)
	require.JSONEq(t, `{}`, field(t, out, "target_statuses"), "a stale hold routes to nobody")
	require.Empty(t, w.addressed(t, room))
}

// addressed lists whom the newest message speaks to.
func (w *world) addressed(t *testing.T, room string) []string {
	t.Helper()
	e, _, err := w.n.HistoryOf(room).Message(t.Context(), w.lastMessage(t, room).ID)
	require.NoError(t, err)
	return e.Payload.(*core.MessagePostedEvent).Addressed
}

// TestTargetedMessageTellsOfRefusals: who does not let the sender address it is not notified, and the sender is told.
func TestTargetedMessageTellsOfRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	closed, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "cid", Handle: "cid", Model: core.ModelSession, Owner: "olga",
		Policy: &core.AddressingPolicy{Rules: []core.AddressingRule{{Rooms: []string{"*"}, Agents: []string{bob.ID}}}},
	}})
	require.NoError(t, err)
	room := w.room(t, operations.Caller{Agent: ada.ID},
		`{"name":"ops","description":"","agent_names":["ada","bob","cid"],"roles":[{"name":"judge","instructions":""}]}`)
	c := w.connect(t, closed.Agent, room)
	w.must(t, c, "assume_role", `{"role":"judge"}`)
	for _, args := range []string{`{"body":"hi","target_names":["cid"]}`, `{"body":"hi","target_roles":["judge"]}`} {
		out := w.must(t, operations.Caller{Agent: ada.ID, Room: room}, "send_targeted_message", args)
		require.JSONEq(t, `{"cid":"not_permitted"}`, field(t, out, "target_statuses"))
		require.Empty(t, w.addressed(t, room), "the message is posted all the same, and notifies nobody")
		out = w.must(t, operations.Caller{Agent: bob.ID, Room: room}, "send_targeted_message", args)
		require.JSONEq(t, `{"cid":"live"}`, field(t, out, "target_statuses"))
		require.Equal(t, []string{closed.Agent.ID}, w.addressed(t, room))
	}
}

func TestTargetedMessageAddressesItsTargets(t *testing.T) {
	w := newWorld(t)
	ada, bob, cid := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "cid")
	room := w.room(t, operations.Caller{Agent: ada.ID},
		`{"name":"ops","description":"","agent_names":["ada","bob","cid"],"aliases":{"cid":"Boss"}}`)
	w.must(t, operations.Caller{Agent: ada.ID, Room: room}, "send_targeted_message", `{"body":"hi","target_names":["boss"]}`)
	e, _, err := w.n.HistoryOf(room).Message(t.Context(), w.lastMessage(t, room).ID)
	require.NoError(t, err)
	posted, ok := e.Payload.(*core.MessagePostedEvent)
	require.True(t, ok)
	require.True(t, posted.Addresses(cid.ID))
	require.False(t, posted.Addresses(bob.ID))
}

func TestTargetedMessageRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob, _ := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "eve")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"],
		"roles":[{"name":"judge","instructions":""}]}`)
	c := operations.Caller{Agent: ada.ID, Room: room}
	before := w.n.Applied()
	for _, tc := range []struct {
		args, want string
		names      []string
	}{
		{`{"target_names":["ada"]}`, "missing required arguments: body", []string{"body"}},
		{`{"body":"x"}`, "at least one target", []string{"target_names", "target_roles"}},
		{`{"body":"x","target_names":[],"target_roles":[]}`, "at least one target", []string{"target_names", "target_roles"}},
		{`{"body":"x","target_names":["eve","ada","Ada"]}`, `not in this room: "eve", "Ada"; participants: "ada"`, []string{"target_names"}},
		{`{"body":"x","target_roles":["judge","clerk"]}`, `no such roles in this room: "clerk"; roles: "judge"`, []string{"target_roles"}},
		{`{"body":"x","target_names":"ada"}`, "must be a list, each item a string or null", []string{"target_names"}},
		{`{"body":"x","target_names":["ada"],"thread_id":"msg_none"}`, "no such message", []string{"thread_id"}},
	} {
		_, err := w.call(t, c, "send_targeted_message", tc.args)
		var bad *operations.ArgumentError
		require.ErrorAs(t, err, &bad, tc.args)
		require.ErrorContains(t, err, tc.want, tc.args)
		require.Equal(t, tc.names, bad.Names, tc.args)
	}
	const valid = `{"body":"x","target_names":["ada"]}`
	_, err := w.call(t, operations.Caller{Agent: ada.ID}, "send_targeted_message", valid)
	require.ErrorIs(t, err, operations.ErrNotConnected)
	_, err = w.call(t, operations.Caller{Agent: bob.ID, Room: room}, "send_targeted_message", valid)
	require.ErrorIs(t, err, core.ErrNotMember)
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}

func TestTargetedMessageIsPostedOncePerKey(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := operations.Caller{Agent: ada.ID, Room: room, Key: &core.Key{Agent: ada.ID, Value: "once"}}
	const args = `{"body":"x","target_names":["ada"]}`
	first := w.must(t, c, "send_targeted_message", args)
	after := w.n.Applied()
	require.Equal(t, first, w.must(t, c, "send_targeted_message", args))
	require.Equal(t, after, w.n.Applied())
}

func TestTargetedMessageTakesATurnWithWordsOnly(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.turns(t, ada, bob)
	c := operations.Caller{Agent: ada.ID, Room: room}
	_, err := w.call(t, c, "send_targeted_message", `{"body":" \n","target_names":["bob"]}`)
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "body", invalid.Field)
	w.must(t, c, "send_targeted_message", `{"body":"hi","target_names":["bob"]}`)
	_, err = w.call(t, c, "send_targeted_message", `{"body":" ","target_names":["bob"]}`)
	var turn *core.NotYourTurnError
	require.ErrorAs(t, err, &turn, "whose turn it is comes first")
}

// turns makes a room of two that speak in turns, as private as such rooms are.
func (w *world) turns(t *testing.T, a, b core.Agent) string {
	t.Helper()
	made, _, err := w.n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "two", Creator: a.ID, Floor: core.FloorTurns, ReadVisibility: "private", WriteVisibility: "private", MaxTurns: 9,
		},
		Members: []core.NewMember{{Agent: a.ID, Name: a.Name, Handle: a.Handle}, {Agent: b.ID, Name: b.Name, Handle: b.Handle}},
	}, nil)
	require.NoError(t, err)
	return made.Room
}
