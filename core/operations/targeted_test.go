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
