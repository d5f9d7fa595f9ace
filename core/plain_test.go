package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestPlainWordsAreReadBack(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	entry := func(p core.Payload) *core.Entry {
		return &core.Entry{Recorded: core.Recorded{
			Event: core.Event{Kind: p.Kind(), Version: 4, At: at, Payload: p}, Position: 17, Stream: core.RoomStream("room_1"),
		}}
	}
	said := entry(&core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: "msg_1", Turn: 2, Sender: "agt_1", Addressed: []string{"agt_2"}},
		MessageTexts: core.MessageTexts{SenderName: "ada", Text: "a\r\nb <c>"},
	})
	line, err := said.AppendPlain(nil)
	require.NoError(t, err)
	require.Equal(t, `{"position":17,"version":4,"at":"2026-03-01T12:00:00.005Z","room":"room_1","kind":"message.posted",`+
		`"event":{"id":"msg_1","turn":2,"sender":"agt_1","addressed":["agt_2"],"sender_name":"ada","text":"a\r\nb <c>"}}`, string(line))
	back, err := core.ParsePlain(line)
	require.NoError(t, err)
	require.Equal(t, said.Payload, back.Payload)
	require.Equal(t, said.Recorded, back.Recorded)

	made := entry(&core.RoomCreatedEvent{RoomFacts: core.RoomFacts{
		ID: "room_1", HumanCodeHash: "d34db33f", SecurityConfig: []byte(`{"k":"v"}`), Floor: core.FloorOpen,
	}})
	line, err = made.AppendPlain(nil)
	require.NoError(t, err)
	require.NotContains(t, string(line), "d34db33f")
	require.NotContains(t, string(line), "security_config")
}

func TestPlainWordsThatAreNone(t *testing.T) {
	for _, line := range []string{``, `[]`, `{}`, `{"kind":"message.posted"}`, `{"kind":"message.posted","room":"r","event":{"turn":"x"}}`} {
		_, err := core.ParsePlain([]byte(line))
		require.Error(t, err, line)
	}
}
