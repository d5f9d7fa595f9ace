package areyouai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/strictjson"
)

func turnReady(id, room string, turn int64) areyouai.TurnReady {
	return areyouai.TurnReady{
		Type: areyouai.FrameTurnReady, DeliveryID: id, AgentID: "agt_a", TargetAgentID: "agt_a", RoomID: room,
		RoomState: areyouai.StateActive, NextTurn: turn, NextActorID: "agt_a", Reason: areyouai.ReasonPeerMessage,
		OccurredAt: at(0), CreatedAt: at(0), ExpiresAt: at(1800),
	}
}

func roomEnded(id, room string, typ areyouai.FrameType, state areyouai.RoomState, reason areyouai.Reason) areyouai.RoomEnded {
	return areyouai.RoomEnded{
		Type: typ, DeliveryID: id, AgentID: "agt_a", TargetAgentID: "agt_a", RoomID: room, RoomState: state, Reason: reason,
		OccurredAt: at(3), ClosedAt: ptr(at(3)), CreatedAt: at(3), ExpiresAt: at(1803),
	}
}

func agentFrame(t testing.TB, f areyouai.AgentFrame) string {
	t.Helper()
	b, err := areyouai.AppendAgentFrame(nil, f)
	require.NoError(t, err)
	return string(b)
}

// TestAgentFrames pins the bytes of each frame of the agent stream; each of
// them reads back as it was.
func TestAgentFrames(t *testing.T) {
	now := time.Date(2026, 4, 2, 10, 0, 0, 0, time.UTC)
	purged := roomEnded("dly_3", "room_1", areyouai.FrameRoomPurged, areyouai.StatePurged, areyouai.ReasonGraceElapsed)
	purged.PurgedAt = ptr(at(4))
	var b strings.Builder
	for _, f := range []areyouai.AgentFrame{
		areyouai.NewStreamHello("agt_a", areyouai.ResumeFresh, "dly_0", now),
		areyouai.NewStreamHello("agt_a", areyouai.ResumeOK, "dly_0", now),
		areyouai.NewStreamHello("agt_a", areyouai.ResumeReplayRequired, "dly_0", now),
		areyouai.NewReplayRequired("agt_a"),
		areyouai.NewReloginRequired("agt_a"),
		turnReady("dly_1", "room_1", 0),
		roomEnded("dly_2", "room_1", areyouai.FrameRoomClosed, areyouai.StateClosed, areyouai.ReasonManualClose),
		purged,
	} {
		text := agentFrame(t, f)
		require.NotContains(t, text, "\r")
		b.WriteString(text)
		read := next(t, text)
		require.Equal(t, f.Delivery() != "", read.HasID)
		got, err := areyouai.ParseAgentFrame(read)
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
	golden(t, "agentframes.golden", []byte(b.String()))
}

func TestParseAgentFrameRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"not JSON":          `x`,
		"array":             `[]`,
		"no type":           `{}`,
		"no delivery":       `{"type":"room.closed","room_id":"r"}`,
		"no room":           `{"type":"room.closed","delivery_id":"d"}`,
		"no turn":           `{"type":"room.turn_ready","room_id":"r","delivery_id":"d"}`,
		"turn as text":      `{"type":"room.turn_ready","room_id":"r","delivery_id":"d","next_turn":"1"}`,
		"negative turn":     `{"type":"room.turn_ready","room_id":"r","delivery_id":"d","next_turn":-1}`,
		"agent as a number": `{"type":"stream.hello","agent_id":1}`,
	} {
		_, err := areyouai.ParseAgentFrame(next(t, "data: "+data+"\n\n"))
		var fe *areyouai.FrameError
		require.ErrorAs(t, err, &fe, name)
	}
	closed := `data: {"type":"room.closed","room_id":"r","delivery_id":"d"}` + "\n\n"
	for _, head := range []string{"id: e\n", "event: room.purged\n"} {
		_, err := areyouai.ParseAgentFrame(next(t, head+closed))
		require.Error(t, err, head)
	}
	f, err := areyouai.ParseAgentFrame(next(t, "event: room.new\ndata: {\"type\":\"room.new\",\"delivery_id\":\"d\"}\n\n"))
	require.NoError(t, err)
	require.Nil(t, f)
}

func TestDecodeStreamAck(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	runDecode(t, areyouai.DecodeStreamAck, []decodeCase{
		{name: "trims", body: `{"delivery_id":" dly_1 "}`, want: areyouai.StreamAckRequest{DeliveryID: "dly_1"}},
		{name: "blank", body: `{"delivery_id":" "}`, code: bad, hint: "delivery_id"},
		{name: "absent", body: `{}`, code: bad, hint: "delivery_id"},
		{name: "never an id", body: `{"delivery_id":"` + strings.Repeat("x", 129) + `"}`, code: areyouai.CodeNotFound},
	})
}

func TestParseDeliveryCursor(t *testing.T) {
	for want, in := range map[string][2]string{"": {"", " "}, "dly_1": {" dly_1 ", "dly_2"}, "dly_2": {" ", " dly_2 "}} {
		require.Equal(t, want, areyouai.ParseDeliveryCursor(in[0], in[1]))
	}
	require.Len(t, areyouai.ParseDeliveryCursor(strings.Repeat("x", 9999), ""), areyouai.MaxIDBytes+1)
}

func TestDeliveryReplies(t *testing.T) {
	closed, purged := at(9), at(10)
	var b strings.Builder
	for _, v := range []any{
		areyouai.NewStreamAckReply("dly_1"),
		areyouai.NewActionableReply(nil, nil),
		areyouai.NewActionableReply(
			[]areyouai.ActionableRoom{{RoomID: "room_1", RoomState: areyouai.StateActive, NextTurn: 0, NextActorID: "agt_a", Token: "rat_1", ExpiresAt: at(300)}},
			[]areyouai.TerminalRoom{
				{RoomID: "room_2", RoomState: areyouai.StateClosed, ClosedAt: &closed},
				{RoomID: "room_3", RoomState: areyouai.StatePurged, ClosedAt: &closed, PurgedAt: &purged},
			}),
		areyouai.NewAccessTokenReply("room_1", "agt_a", "rat_1", at(300)),
	} {
		b.WriteString(reply(t, v))
	}
	golden(t, "deliveries.golden", []byte(b.String()))
}

// TestActionableRoomTakesBothTokenNames: older servers write room_token.
func TestActionableRoomTakesBothTokenNames(t *testing.T) {
	for body, want := range map[string]string{
		`{"token":"rat_1","next_turn":3}`:                      "rat_1",
		`{"room_token":"rat_2","next_turn":3}`:                 "rat_2",
		`{"token":"rat_1","room_token":"rat_2","next_turn":3}`: "rat_1",
	} {
		var room areyouai.ActionableRoom
		require.NoError(t, strictjson.Unmarshal([]byte(body), &room))
		require.Equal(t, areyouai.ActionableRoom{Token: want, NextTurn: 3}, room)
	}
	var all areyouai.ActionableReply
	require.Error(t, strictjson.Unmarshal([]byte(`{"actionable":[{"next_turn":"3"}]}`), &all))
}
