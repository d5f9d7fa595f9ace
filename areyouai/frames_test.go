package areyouai_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
	"stele/internal/sse"
)

func frame(t testing.TB, ev areyouai.Event) string {
	t.Helper()
	b, err := areyouai.AppendEventFrame(nil, ev)
	require.NoError(t, err)
	return string(b)
}

func TestFrameBytes(t *testing.T) {
	message := areyouai.NewMessageEvent(5, "room_1", "msg_1", "agt_a", 0, "a\nb <c>", at(1))
	require.Equal(t, "id: 5\nevent: message.created\n"+
		`data: {"event_id":5,"type":"message.created","room_id":"room_1","message_id":"msg_1","turn":0,"sender_id":"agt_a","ciphertext":"a\nb <c>","created_at":"2026-04-02T10:00:01Z"}`+
		"\n\n", frame(t, message))
	empty := areyouai.NewMessageEvent(6, "room_1", "msg_2", "agt_a", 1, "", at(1))
	require.Equal(t, "id: 6\nevent: message.created\n"+
		`data: {"event_id":6,"type":"message.created","room_id":"room_1","message_id":"msg_2","turn":1,"sender_id":"agt_a","ciphertext":"","created_at":"2026-04-02T10:00:01Z"}`+
		"\n\n", frame(t, empty), "a message without a word is still a message")
	closed := areyouai.NewRoomEvent(6, areyouai.EventRoomClosed, "room_1", "", at(2))
	require.Equal(t, "id: 6\nevent: room.closed\n"+
		`data: {"event_id":6,"type":"room.closed","room_id":"room_1","created_at":"2026-04-02T10:00:02Z"}`+
		"\n\n", frame(t, closed))
	require.Equal(t, fmt.Sprintf("retry: %d\n\n", areyouai.RetryMillis), areyouai.StreamPreamble)
	require.Equal(t, string(sse.AppendComment(nil, "keepalive")), areyouai.StreamKeepalive)
}

// TestLargestMessageFits keeps MaxFrameBytes above what a legal message needs.
func TestLargestMessageFits(t *testing.T) {
	for _, char := range []rune{'\x01', '😀', '"'} {
		text := string(bytes.Repeat([]byte(string(char)), areyouai.MaxMessageChars))
		ev := areyouai.NewMessageEvent(1<<62, "room_1", "msg_1", "agt_a", 1<<31, text, at(1))
		require.Less(t, len(frame(t, ev)), areyouai.MaxFrameBytes)
	}
}

func TestFrameRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		when := areyouai.NewTime(time.Unix(0, rapid.Int64Range(0, 1<<60).Draw(rt, "at")))
		id := rapid.Int64Range(1, 1<<62).Draw(rt, "id")
		room := "room_" + rapid.StringMatching(`[A-Za-z0-9_-]{1,16}`).Draw(rt, "room")
		ev := areyouai.NewRoomEvent(id, areyouai.EventRoomJoined, room, rapid.String().Draw(rt, "sender"), when)
		if rapid.Bool().Draw(rt, "message") {
			turn := rapid.Int64Range(0, 1<<31).Draw(rt, "turn")
			ev = areyouai.NewMessageEvent(id, room, "msg_1", "agt_a", turn, rapid.StringN(0, 50, -1).Draw(rt, "text"), when)
		}
		stream := areyouai.StreamPreamble + areyouai.StreamKeepalive + frame(t, ev) + areyouai.StreamKeepalive
		r := sse.NewReader(bytes.NewReader([]byte(stream)), 0)
		var got []areyouai.Event
		for {
			f, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if f.Comment || f.Data == nil {
				continue
			}
			back, err := areyouai.ParseEventFrame(f)
			require.NoError(t, err)
			got = append(got, back)
		}
		require.Equal(t, []areyouai.Event{ev}, got)
	})
}

func TestParseEventFrameRefuses(t *testing.T) {
	const good = `{"event_id":5,"type":"room.closed","room_id":"r","created_at":"2026-04-02T10:00:02Z"}`
	cases := map[string]sse.Event{
		"no JSON":      {ID: "5", HasID: true, Event: "room.closed", Data: []byte("nonsense")},
		"array":        {ID: "5", HasID: true, Event: "room.closed", Data: []byte("[]")},
		"no id":        {Data: []byte(`{"type":"room.closed"}`)},
		"negative id":  {Data: []byte(`{"event_id":-5,"type":"room.closed"}`)},
		"no type":      {Data: []byte(`{"event_id":5}`)},
		"id differs":   {ID: "6", HasID: true, Data: []byte(good)},
		"type differs": {Event: "room.purged", Data: []byte(good)},
		"bare message": {Data: []byte(`{"event_id":5,"type":"message.created","message_id":"m"}`)},
		"bad time":     {Data: []byte(`{"event_id":5,"type":"room.closed","created_at":"now"}`)},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			ev, err := areyouai.ParseEventFrame(f)
			var fe *areyouai.FrameError
			require.ErrorAs(t, err, &fe)
			require.Zero(t, ev)
			require.ErrorContains(t, err, fe.Reason)
		})
	}
	for name, f := range map[string]sse.Event{
		"whole":        {ID: "5", HasID: true, Event: "room.closed", Data: []byte(good)},
		"data only":    {Data: []byte(good)},
		"unknown type": {Event: "room.painted", Data: []byte(`{"event_id":5,"type":"room.painted","colour":"red"}`)},
	} {
		ev, err := areyouai.ParseEventFrame(f)
		require.NoError(t, err, name)
		require.EqualValues(t, 5, ev.EventID)
	}
}
