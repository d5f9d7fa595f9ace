package agentswitch_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/sse"
	agentswitch "stele/switch"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func ptr[T any](v T) *T { return &v }

// frameCases are the frames whose bytes testdata/frames holds.
func frameCases() map[string]struct {
	frame agentswitch.Frame
	bytes []byte
} {
	ids := agentswitch.TaskIDs{TaskID: "t-1", RequesterAgentID: "a-1", PerformerAgentID: "a-2"}
	event := func(p agentswitch.Payload) agentswitch.Event {
		return agentswitch.Event{RoomID: "r-1", ChannelType: ptr("channel_public"), Payload: p, Sequence: 4813}
	}
	frames := map[string]agentswitch.Frame{
		"connection_state": agentswitch.ConnectionState{
			ConnectionID: "c-1", AgentID: "a-1", Scope: agentswitch.ScopeSingle, Filter: agentswitch.FilterAll,
			Rooms: agentswitch.Rooms{"r-1"}, Cursor: 12, Protocol: 1, HeartbeatIntervalSeconds: 2,
			Server: agentswitch.NewServerInfo("0.19.0", agentswitch.Range{Speaks: 1, Accepts: 1}),
			Client: agentswitch.Declaration{
				Protocol: ptr(1), ProtocolAccepts: ptr(1), Client: ptr("agent-runtime"), ClientVersion: ptr("0.3.2"),
			}.Info(),
		},
		"connection_state_undeclared": agentswitch.ConnectionState{
			ConnectionID: "c-1", AgentID: "a-1", Scope: agentswitch.ScopeAll, Filter: agentswitch.FilterAddressed, SpawnCapable: true,
			Rooms: agentswitch.Rooms{}, Protocol: 1, HeartbeatIntervalSeconds: 0.25,
			Server: agentswitch.NewServerInfo("", agentswitch.Range{Speaks: 1, Accepts: 1}),
		},
		"subscription_changed": agentswitch.SubscriptionChanged{
			Rooms: agentswitch.Rooms{"r-1", "r-10", "r-2"}, Reason: agentswitch.ReasonSubscriptionUpdated,
		},
		"evicted":     agentswitch.Evicted{Reason: agentswitch.ReasonTakenOver},
		"gap_restart": agentswitch.GapRestarted(7),
		"gap_open":    agentswitch.GapExpiredAtOpen(41),
		"gap_midway":  agentswitch.GapExpired(12, 41),
		"keepalive":   agentswitch.Keepalive{Text: "keepalive"},
		"message": agentswitch.Event{
			RoomID: "r-1", BridgeID: ptr("b-1"), ChannelType: ptr("direct"), Sequence: 1,
			Payload: agentswitch.Message{
				Addressed: true, Sender: "@alice:x", SenderName: "Alice", MessageID: "m-1",
				Body: "hi <b> & \"you\"\r\n\u2028 grüße 😀", Timestamp: 1790000000123, ThreadID: ptr("m-0"),
				Attachments: agentswitch.List[agentswitch.Attachment]{
					{Filename: "a.png", Mimetype: "image/png", Size: 12, MXC: "mxc://x/1", MsgType: agentswitch.AttachmentMsgType("image/png")},
					{Filename: "a.txt", Mimetype: "text/plain", Size: 20971520, MXC: "mxc://x/2", MsgType: agentswitch.AttachmentMsgType("text/plain")},
				},
			},
		},
		"message_plain": event(agentswitch.Message{Sender: "a-2", SenderName: "bob", MessageID: "m-2", Attachments: agentswitch.List[agentswitch.Attachment]{}}),
		"command":       event(agentswitch.Command{Command: agentswitch.CommandReset, UserID: "u-1", UserName: "Ann"}),
		"room_join":     event(agentswitch.RoomJoin{Member: "a-2", MemberName: "bob", Timestamp: 1790000000123, Listening: true}),
		"task_delegate": event(agentswitch.TaskDelegate{TaskIDs: ids, Summary: "s", Description: "d"}),
		"task_cancel":   event(agentswitch.TaskCancel{TaskIDs: ids, Reason: "r"}),
		"task_accept":   event(agentswitch.TaskAccept{TaskIDs: ids}),
		"task_update":   event(agentswitch.TaskUpdate{TaskIDs: ids, Update: "u"}),
		"task_finalise": event(agentswitch.TaskFinalise{TaskIDs: ids, Outcome: "o"}),
		"unknown":       event(agentswitch.Unknown{Type: "novel", Raw: []byte(`{"a":1}`)}),
	}
	cases := make(map[string]struct {
		frame agentswitch.Frame
		bytes []byte
	}, len(frames))
	for name, frame := range frames {
		cases[name] = struct {
			frame agentswitch.Frame
			bytes []byte
		}{frame, appendFrame(nil, frame)}
	}
	return cases
}

func appendFrame(dst []byte, frame agentswitch.Frame) []byte {
	switch f := frame.(type) {
	case agentswitch.ConnectionState:
		return agentswitch.AppendConnectionStateFrame(dst, f)
	case agentswitch.SubscriptionChanged:
		return agentswitch.AppendSubscriptionChangedFrame(dst, f)
	case agentswitch.Evicted:
		return agentswitch.AppendEvictedFrame(dst, f)
	case agentswitch.Gap:
		return agentswitch.AppendGapFrame(dst, f)
	case agentswitch.Event:
		return agentswitch.AppendEventFrame(dst, f)
	default:
		return agentswitch.AppendKeepalive(dst)
	}
}

func TestFramesAreTheGoldenBytes(t *testing.T) {
	for name, tt := range frameCases() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "frames", name+".sse")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, tt.bytes, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(tt.bytes))
			require.NotContains(t, string(tt.bytes), "\r", "CR breaks the reference client")
		})
	}
}

func TestFramesComeBackAsTheyWere(t *testing.T) {
	for name, tt := range frameCases() {
		t.Run(name, func(t *testing.T) {
			ev, err := sse.NewReader(bytes.NewReader(tt.bytes), 0).Next()
			require.NoError(t, err)
			got, err := agentswitch.ParseFrame(ev)
			require.NoError(t, err)
			require.Equal(t, tt.frame, got)
		})
	}
}

func TestRoomsAreWrittenSorted(t *testing.T) {
	rooms := agentswitch.Rooms{"b", "a", "\"c"}
	got := agentswitch.AppendSubscriptionChangedFrame(nil, agentswitch.SubscriptionChanged{Rooms: rooms, Reason: "x"})
	require.Equal(t, "event: subscription_changed\ndata: {\"rooms\":[\"\\\"c\",\"a\",\"b\"],\"reason\":\"x\"}\n\n", string(got))
	require.Equal(t, agentswitch.Rooms{"b", "a", "\"c"}, rooms, "the caller's list is left alone")
	require.Contains(t, string(agentswitch.AppendSubscriptionChangedFrame(nil, agentswitch.SubscriptionChanged{})), `"rooms":[]`)
}

func TestPolledEventHasNoSequence(t *testing.T) {
	e := agentswitch.Event{RoomID: "r-1", Payload: agentswitch.TaskAccept{}, Sequence: 9}
	require.Equal(t,
		`{"type":"task_accept","room_id":"r-1","bridge_id":null,"channel_type":null,"payload":{"task_id":"","requester_agent_id":"","performer_agent_id":""}}`,
		string(agentswitch.AppendPolledEvent(nil, e)))
}

func TestUnsoundUnknownPayloadDoesNotBreakTheFrame(t *testing.T) {
	for _, raw := range []string{"", "{", "1\n\nevent: evicted"} {
		e := agentswitch.Event{Payload: agentswitch.Unknown{Type: "a\nb", Raw: []byte(raw)}, Sequence: 1}
		r := sse.NewReader(bytes.NewReader(agentswitch.AppendEventFrame(nil, e)), 0)
		ev, err := r.Next()
		require.NoError(t, err)
		_, err = agentswitch.ParseFrame(ev)
		require.NoError(t, err)
		_, err = r.Next()
		require.Error(t, err)
	}
}

func TestNotifiable(t *testing.T) {
	for _, tt := range []struct {
		payload agentswitch.Payload
		want    bool
	}{
		{agentswitch.Message{Addressed: true}, true},
		{agentswitch.Message{}, false},
		{agentswitch.Command{}, false},
		{agentswitch.RoomJoin{Listening: true}, true},
		{agentswitch.RoomJoin{}, false},
		{agentswitch.TaskDelegate{}, true},
		{agentswitch.TaskCancel{}, true},
		{agentswitch.TaskAccept{}, true},
		{agentswitch.TaskUpdate{}, true},
		{agentswitch.TaskFinalise{}, true},
		{agentswitch.Unknown{}, false},
	} {
		require.Equal(t, tt.want, tt.payload.Notifiable(), "%T", tt.payload)
	}
}

func TestParseFrameRefuses(t *testing.T) {
	for name, ev := range map[string]sse.Event{
		"no JSON":             {Event: "message", Data: []byte("x")},
		"no data":             {Event: "message"},
		"control no object":   {Event: "gap", Data: []byte("[]")},
		"control null":        {Event: "gap", Data: []byte("null")},
		"negative number":     {Event: "gap", Data: []byte(`{"resumed_at":-1}`)},
		"payload missing":     {Event: "message", Data: []byte(`{"type":"message"}`)},
		"payload no object":   {Event: "message", Data: []byte(`{"type":"message","payload":null}`)},
		"bad timestamp":       {Event: "message", Data: []byte(`{"type":"message","payload":{"timestamp":"now"}}`)},
		"id is not a number":  {Event: "task_accept", ID: "x", HasID: true, Data: []byte(`{"type":"task_accept","payload":{}}`)},
		"id is beyond 64 bit": {Event: "task_accept", ID: "99999999999999999999", HasID: true, Data: []byte(`{"type":"task_accept","payload":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := agentswitch.ParseFrame(ev)
			var broken *agentswitch.FrameError
			require.ErrorAs(t, err, &broken)
			require.Equal(t, ev.Event, broken.Event)
		})
	}
}

func TestParseFrameTakesTheSequenceFromTheID(t *testing.T) {
	frame, err := agentswitch.ParseFrame(sse.Event{
		Event: "task_accept", ID: "8", HasID: true, Data: []byte(`{"type":"task_accept","room_id":"r","payload":{"task_id":"t","new":1},"sequence":7}`),
	})
	require.NoError(t, err)
	require.Equal(t, uint64(8), frame.(agentswitch.Event).Sequence)
	require.Equal(t, agentswitch.TypeTaskAccept, frame.(agentswitch.Event).Type())
}

func FuzzParseFrame(f *testing.F) {
	for _, tt := range frameCases() {
		ev, err := sse.NewReader(bytes.NewReader(tt.bytes), 0).Next()
		require.NoError(f, err)
		f.Add(ev.Event, ev.ID, ev.Data)
	}
	f.Fuzz(func(t *testing.T, event, id string, data []byte) {
		frame, err := agentswitch.ParseFrame(sse.Event{Event: event, ID: id, HasID: id != "", Data: data})
		if err != nil {
			return
		}
		written := appendFrame(nil, frame)
		ev, err := sse.NewReader(bytes.NewReader(written), len(written)).Next()
		require.NoError(t, err)
		again, err := agentswitch.ParseFrame(ev)
		require.NoError(t, err, "%s", written)
		require.Equal(t, string(written), string(appendFrame(nil, again)))
	})
}

func TestAppendEventFrameAllocatesLittle(t *testing.T) {
	event := agentswitch.Event{RoomID: "r-1", Payload: agentswitch.Message{Body: "hello"}, Sequence: 4813}
	buf := make([]byte, 0, 1024)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		buf = agentswitch.AppendEventFrame(buf[:0], event)
	}), 3.0)
}
