package areyouai_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestPeopleReplies pins the replies for those who watch: transcript, viewers,
// typing and the admin pages.
func TestPeopleReplies(t *testing.T) {
	closed := at(9)
	var b strings.Builder
	for _, v := range []any{
		areyouai.NewTypingStartReply("room_1", "agt_a", at(0).Time, areyouai.DefaultTypingTTL),
		areyouai.NewTypingStopReply("room_1", "agt_a", true),
		areyouai.NewTranscriptReply(areyouai.TranscriptReply{
			RoomID: "room_1", RoomTopic: "tea", AgentAID: "agt_a", NextActorID: "agt_a", State: areyouai.StateOpen,
		}),
		areyouai.TranscriptReply{
			RoomID: "room_1", RoomTopic: "tea", AgentAID: "agt_a", AgentBID: "agt_b", TurnIndex: 1, State: areyouai.StateClosed,
			Messages: []areyouai.TranscriptMessage{{ID: "msg_1", SenderID: "agt_a", SenderName: "Ada", Ciphertext: "<hi>", CreatedAt: at(1), ReadByOpponent: true}},
			ClosedAt: &closed, LastFetch: map[string]int64{"agt_b": 1, "agt_a": 0},
		},
		areyouai.ViewerJoinReply{ViewerToken: "hv_1", ActiveViewers: 1},
		areyouai.ViewerReply{},
		areyouai.AdminOverview{
			AgentsTotal: 1, SessionsActive: 2, RoomsOpen: 3, RoomsActive: 4, RoomsClosed: 5, RoomsPurged: 6, MessagesTotal: 7,
			Purge:       areyouai.AdminPurge{Scanned: 1, ClosedRooms: 2, ReadyForPurge: 3, ViewerBlocked: 4, OverRetention: 5, OldestClosedAgeSeconds: 6, OldestReadyAgeSeconds: 7, ClosedRoomGraceSeconds: 120, MaxClosedRetentionSeconds: 86400},
			GeneratedAt: at(0),
		},
		areyouai.NewAdminRoomsReply(nil),
		areyouai.NewAdminRoomsReply([]areyouai.AdminRoom{{ID: "room_1", AgentAID: "agt_a", AgentAName: "Ada", State: areyouai.StateClosed, MaxTurns: 20, TTLAt: at(900), CreatedAt: at(0), ClosedAt: &closed}}),
		areyouai.NewAdminAuditReply(nil),
		areyouai.NewAdminAuditReply([]areyouai.AuditEntry{{ID: 1, RoomID: "room_1", Event: areyouai.AuditRoomPurged, Meta: `{"a":1}`, MessageCount: 2, CreatedAt: at(0)}}),
	} {
		b.WriteString(reply(t, v))
	}
	golden(t, "people.golden", []byte(b.String()))
}

func TestDecodeTranscript(t *testing.T) {
	forbidden := areyouai.CodeForbidden
	runDecode(t, areyouai.DecodeTranscript, []decodeCase{
		{name: "trims", body: `{"human_code":" hc_1 "}`, want: areyouai.TranscriptRequest{HumanCode: "hc_1"}},
		{name: "blank", body: `{"human_code":" "}`, code: forbidden},
		{name: "absent", body: `{}`, code: forbidden},
		{name: "never a code", body: `{"human_code":"` + strings.Repeat("x", 513) + `"}`, code: forbidden},
		{name: "wrong type", body: `{"human_code":7}`, code: areyouai.CodeInvalidRequest, hint: "human_code"},
	})
	for query, refused := range map[string]bool{"": false, "x=1": false, "human_code=hc_1": true, "human_code=": true, "x=1&human_code": true} {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		if err := areyouai.CheckTranscriptQuery(q); refused {
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest, query)
			require.Contains(t, areyouai.AsError(err).Hint, "body")
		} else {
			require.NoError(t, err, query)
		}
	}
	require.True(t, areyouai.ReadByOpponent(1, 0))
	require.False(t, areyouai.ReadByOpponent(0, 0))
}

func TestDecodeViewer(t *testing.T) {
	type r = areyouai.ViewerRequest
	long := strings.Repeat("x", 513)
	runDecode(t, areyouai.DecodeViewer, []decodeCase{
		{name: "join", body: `{"op":" join ","human_code":" hc_1 ","viewer_token":""}`, want: r{Op: "join", HumanCode: "hc_1"}},
		{name: "heartbeat", body: `{"op":"heartbeat","human_code":"","viewer_token":"hv_1"}`, want: r{Op: "heartbeat", ViewerToken: "hv_1"}},
		{name: "leave", body: `{"op":"leave","viewer_token":"hv_1"}`, want: r{Op: "leave", ViewerToken: "hv_1"}},
		{name: "never a credential", body: `{"op":"join","human_code":"` + long + `","viewer_token":"` + long + `"}`, want: r{Op: "join"}},
		{name: "unknown op", body: `{"op":"JOIN","human_code":"hc_1"}`, code: areyouai.CodeUnsupportedOp, hint: "heartbeat"},
		{name: "no op", body: `{}`, code: areyouai.CodeUnsupportedOp, hint: "heartbeat"},
		{name: "wrong type", body: `{"op":1}`, code: areyouai.CodeInvalidRequest, hint: "op"},
	})
}

func TestCheckAdminRequest(t *testing.T) {
	header := http.Header{"X-Admin-Token": {""}}
	query := url.Values{"admin_token": {""}}
	require.NoError(t, areyouai.CheckAdminRequest(http.Header{}, url.Values{"x": {"1"}}))
	require.Contains(t, areyouai.AsError(areyouai.CheckAdminRequest(header, query)).Hint, "X-Admin-Token")
	require.Contains(t, areyouai.AsError(areyouai.CheckAdminRequest(http.Header{}, query)).Hint, "query")
	require.ErrorIs(t, areyouai.CheckAdminRequest(header, query), areyouai.CodeInvalidRequest)
}
