package core

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzDecodePayload feeds stored bytes of every kind to the decoder and the states: damage may be an error, never a
// panic, and what decodes encodes to something that decodes to the same.
func FuzzDecodePayload(f *testing.F) {
	at := time.UnixMilli(1767323045678).UTC()
	for _, p := range []Payload{
		&RoomCreatedEvent{RoomFacts: RoomFacts{ID: "room_1", Name: "x", Floor: FloorTurns, State: StateOpen, TTLAt: at}},
		&MemberJoinedEvent{Agent: "agt_1", Name: "ada", Side: "b"},
		&MessagePostedEvent{MessageFacts: MessageFacts{ID: "msg_1", Turn: 3}, MessageTexts: MessageTexts{Text: "\u2028<b>"}},
		&RoomStateChangedEvent{From: StateOpen, To: StateActive},
		&RoomClosedEvent{Reason: ClosedByTTL},
		&ConnectionOpenedEvent{ID: "c", Generation: 2, Rooms: []string{"room_1"}},
		&AgentRegisteredEvent{Agent: Agent{ID: "agt_1", Handle: "ada", Profile: []byte(`{"a":[1]}`)}},
	} {
		e, err := encodePayload(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(e.Kind), e.Body, e.Content)
	}
	f.Add("message.posted", []byte(`{"turn":1e400}`), []byte("\xff"))
	f.Fuzz(func(t *testing.T, kind string, body, content []byte) {
		rec := Recorded{Event: Event{Kind: Kind(kind), Version: 1, Body: body, Content: content, At: at}, Position: 1}
		if rec.decode() != nil || rec.Payload == nil {
			return
		}
		first, err := encodePayload(rec.Payload.(Payload))
		if err != nil {
			t.Fatalf("what was decoded does not encode: %v", err)
		}
		again := Recorded{Event: Event{Kind: first.Kind, Version: 1, Body: first.Body, Content: first.Content, At: at}}
		if err := again.decode(); err != nil {
			t.Fatalf("what was encoded does not decode: %v", err)
		}
		second, err := encodePayload(again.Payload.(Payload))
		if err != nil || !bytes.Equal(first.Body, second.Body) || !bytes.Equal(first.Content, second.Content) {
			t.Fatalf("%s\n%s", first.Body, second.Body)
		}
		room := &Room{Members: map[string]*Member{}}
		room.Apply(&rec)
		room.Clone()
		(&AgentState{}).Apply(&rec)
		(&Directory{}).Apply(&rec)
	})
}

func FuzzMessageTurn(f *testing.F) {
	f.Add(IDs{}.Message(time.UnixMilli(0), 1<<31))
	f.Add("msg_019b7ca9-8c88-7eb1-8424-fa6300000007")
	f.Add("msg_{019b7ca9-8c88-7eb1-8424-fa6300000007}")
	f.Fuzz(func(t *testing.T, id string) {
		if turn, ok := MessageTurn(id); ok && (turn < 0 || turn > 1<<32-1) {
			t.Fatalf("turn %d", turn)
		}
	})
}

func FuzzMentions(f *testing.F) {
	for _, s := range []string{"@ada", "@*a~da", "x@ada.", "@@", "@ada@bob", "\xff@ada\x00", "@ADA\u0130"} {
		f.Add(s)
	}
	r := &Room{Members: map[string]*Member{
		"1": {Agent: "1", Handle: "ada"}, "2": {Agent: "2", Handle: "bob", Alias: "Boss"}, "3": {Agent: "3"},
	}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, id := range r.mentioned(text, "2", nil) {
			if id == "2" || id == "3" {
				t.Fatalf("%q mentions %s", text, id)
			}
		}
		if utf8.ValidString(text) {
			if got := r.mentioned(text+" @ada", "", nil); len(got) == 0 || got[0] != "1" {
				t.Fatalf("%q hides a mention after it", text)
			}
		}
	})
}
