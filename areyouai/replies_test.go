package areyouai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/strictjson"
)

// TestReplies pins the bytes of every reply: names, order, what is null and
// what is absent.
func TestReplies(t *testing.T) {
	closed := at(9)
	layers := areyouai.LayerHashes{SystemCore: "h1", GlobalRules: "h2", AgentRules: "h3", Identity: "h4", Soul: "h5", User: "h6"}
	context := areyouai.NewContextReply("room_1", 2, "agt_a")
	context.BundleHash, context.LayerHashes = "hb", layers
	context.OrderedStack, context.PromptBundleText = []string{"SYSTEM_CORE"}, "[SYSTEM_CORE]\n<a & b>"
	item := areyouai.ListingItem{ID: "lst_1", AgentID: "agt_a", Topic: "tea", MaxTurns: 20, TTLSeconds: 900, CreatedAt: at(0)}
	open := areyouai.RoomReply{ID: "room_1", AgentAID: "agt_a", State: areyouai.StateOpen, NextActorID: "agt_a", MaxTurns: 20, TTLAt: at(900), CreatedAt: at(0)}
	ended := open
	ended.AgentBID, ended.State, ended.NextActorID, ended.TurnIndex, ended.NextTurn = "agt_b", areyouai.StateClosed, "", 3, 3
	ended.ClosedAt, ended.ActiveViewers = &closed, 2
	events := []areyouai.Event{
		areyouai.NewRoomEvent(1, areyouai.EventRoomCreated, "room_1", "agt_a", at(0)),
		areyouai.NewMessageEvent(5, "room_1", "msg_1", "agt_a", 0, "Hi\n<b>", at(1)),
		areyouai.NewMessageEvent(6, "room_1", "msg_2", "agt_b", 1, "", at(1)),
		areyouai.NewRoomEvent(7, areyouai.EventRoomClosed, "room_1", "", at(2)),
	}
	var b strings.Builder
	for _, v := range []any{
		areyouai.RegisterReply{AgentID: "agt_a", APIKey: "ak_1"},
		areyouai.LoginReply{SessionToken: "as_1"},
		areyouai.ListingReply{
			ID: "lst_1", AgentID: "agt_a", Topic: "tea", Tags: []string{}, MaxTurns: 20, TTLSeconds: 900, CreatedAt: at(0),
			RoomID: "room_1", HumanCode: "hc_1", OwnerJoined: true, RoomState: areyouai.StateOpen, NextActorID: "agt_a",
		},
		areyouai.NewSearchReply(nil),
		areyouai.NewSearchReply([]areyouai.ListingItem{item}),
		areyouai.ConnectReply{
			RoomID: "room_1", AgentAID: "agt_a", AgentBID: "agt_b", RoomState: areyouai.StateActive,
			ListingID: "lst_1", NextTurnA: "agt_a", NextActorID: "agt_a",
		},
		areyouai.JoinReply{
			RoomID: "room_1", State: areyouai.StateActive, Joined: map[string]bool{"agt_b": true, "agt_a": true},
			InitialBundle: "hb", LayerHashes: layers, OrderedStack: []string{"SYSTEM_CORE"},
		},
		open, ended, context,
		areyouai.ContextAckReply{RoomID: "room_1", AgentID: "agt_a", TurnIndex: 0},
		areyouai.SendReply{MessageID: "msg_1", Turn: 0, NextTurn: 1, RoomState: areyouai.StateActive, BundleHash: "hb"},
		areyouai.NewCloseReply("room_1"),
		areyouai.AccessTokenReply{RoomID: "room_1", AgentID: "agt_a", Token: "rat_1", Scope: areyouai.ScopeRoomAutomation, ExpiresAt: at(300)},
		areyouai.NewHistoryReply("room_1", 4, nil),
		areyouai.NewHistoryReply("room_1", 0, events),
		areyouai.NewModeReply(), areyouai.NewHealthReply(), areyouai.NewTransitionReply(),
	} {
		b.WriteString(reply(t, v))
	}
	golden(t, "replies.golden", []byte(b.String()))
}

// TestAgentStreamTypes pins the frames of the agent stream.
func TestAgentStreamTypes(t *testing.T) {
	closed := at(3)
	var b strings.Builder
	for _, v := range []any{
		areyouai.StreamHello{Type: areyouai.FrameStreamHello, AgentID: "agt_a", ResumeStatus: areyouai.ResumeFresh, ServerTime: at(0)},
		areyouai.StreamReplayRequired{Type: areyouai.FrameReplayRequired, AgentID: "agt_a", Hint: "h"},
		areyouai.ReloginRequired{Type: areyouai.FrameRelogin, AgentID: "agt_a"},
		areyouai.TurnReady{
			Type: areyouai.FrameTurnReady, DeliveryID: "dly_1", AgentID: "agt_a", TargetAgentID: "agt_a", RoomID: "room_1",
			RoomState: areyouai.StateActive, NextTurn: 0, NextActorID: "agt_a", Reason: areyouai.ReasonRoomActivated,
			OccurredAt: at(0), CreatedAt: at(0), ExpiresAt: at(1800),
		},
		areyouai.RoomEnded{
			Type: areyouai.FrameRoomClosed, DeliveryID: "dly_2", AgentID: "agt_a", TargetAgentID: "agt_a", RoomID: "room_1",
			RoomState: areyouai.StateClosed, Reason: areyouai.ReasonManualClose, OccurredAt: at(3), ClosedAt: &closed,
			CreatedAt: at(3), ExpiresAt: at(1803),
		},
	} {
		b.WriteString(reply(t, v))
	}
	golden(t, "agentstream.golden", []byte(b.String()))
}

func TestCapabilities(t *testing.T) {
	golden(t, "capabilities.golden", []byte(strings.ReplaceAll(reply(t, areyouai.NewCapabilities()), "},{", "},\n{")))

	c := areyouai.NewCapabilities()
	require.True(t, c.Disable("room_join", "Use connect."))
	require.False(t, c.Disable("nothing", ""))
	require.Contains(t, reply(t, c), `"path":"/v1/rooms/{id}/join","auth":"bearer","supported":false,"status_if_called":501,"error":"endpoint_not_supported","hint":"Use connect."}`)
	for _, e := range areyouai.NewCapabilities().Endpoints {
		require.Equal(t, e.Name != "room_leave", e.Supported, "Disable must not reach another document: %s", e.Name)
	}
}

func TestTime(t *testing.T) {
	berlin := time.FixedZone("", 2*3600)
	cases := map[string]struct {
		in   time.Time
		want string
	}{
		"UTC whatever the zone": {time.Date(2026, 4, 2, 12, 0, 0, 0, berlin), `"2026-04-02T10:00:00Z"`},
		"fraction":              {time.Date(2026, 4, 2, 10, 0, 0, 120_000_000, time.UTC), `"2026-04-02T10:00:00.12Z"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want+"\n", reply(t, areyouai.NewTime(c.in)))
			require.Equal(t, c.want+"\n", reply(t, areyouai.Time{Time: c.in}))
			var back areyouai.Time
			require.NoError(t, strictjson.Unmarshal([]byte(c.want), &back))
			require.Equal(t, areyouai.NewTime(c.in), back)
		})
	}
	require.Nil(t, areyouai.TimePtr(time.Time{}))
	_, err := areyouai.AppendReply(nil, areyouai.NewTime(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))
	require.Error(t, err)
	for _, bad := range []string{`1`, `""`, `"yesterday"`, `"2026-04-02"`, `{}`} {
		var tm areyouai.Time
		require.Error(t, strictjson.Unmarshal([]byte(bad), &tm), bad)
	}
	var null struct {
		T areyouai.Time  `json:"t"`
		P *areyouai.Time `json:"p"`
	}
	require.NoError(t, strictjson.Unmarshal([]byte(`{"t":null,"p":null}`), &null))
	require.True(t, null.T.IsZero())
	require.Nil(t, null.P)
}
