package console

import (
	"strings"

	"stele/adapters/scripts"
	"stele/core"
)

// The fields of an event that its scripts have in common, as the log's own words name them, in the order of the page. The
// place of a field is the number of its colour.
func sharedFields() []string {
	return []string{"kind", "position", "version", "turn", "room", "id", "sender", "sender_name", "text", "at", "addressed", "thread", "next"}
}

// hueOf is the colour of a field, counted from 1; 0 for one that the scripts do not share.
func hueOf(field string) int {
	for i, f := range sharedFields() {
		if f == field {
			return i + 1
		}
	}
	return 0
}

// fieldsOf tells which field of an event of a kind stands where in a script. A path leads through a frame's JSON, ".0" being
// the first of a list; ":id" is a field of the frame itself.
func fieldsOf(s scripts.Script, kind core.Kind) func(path string) string {
	var at map[string]string
	below := ""
	switch s {
	case scripts.Core:
		at = map[string]string{".position": "position", ".version": "version", ".at": "at", ".room": "room", ".kind": "kind"}
		below = ".event."
	case scripts.Switch:
		at = map[string]string{
			":id": "position", ".sequence": "position", ":event": "kind", ".type": "kind", ".room_id": "room",
			".payload.message_id": "id", ".payload.sender": "sender", ".payload.sender_name": "sender_name", ".payload.body": "text",
			".payload.timestamp": "at", ".payload.addressed": "addressed", ".payload.thread_id": "thread",
			".payload.member": "agent", ".payload.member_name": "name",
		}
	case scripts.Areyouai:
		at = map[string]string{
			":id": "version", ".event_id": "version", ":event": "kind", ".type": "kind", ".room_id": "room", ".message_id": "id",
			".sender_id": "sender", ".turn": "turn", ".ciphertext": "text", ".created_at": "at",
		}
	case scripts.Edge:
		at = map[string]string{
			".json.seq": "version", ".json.type": "kind", ".json.at": "at",
			".json.appended.0.content": "text", ".json.appended.0.name": "sender_name", ".json.appended.0.seq": "turn",
			".json.appended.0.at": "at", ".json.patch.turn": "turn", ".json.patch.next_actor": "next",
		}
		below = ".json.payload."
	}
	// What an agent emits has keys of any name and length. All of it is the one field that the log calls payload.
	emitted := s == scripts.Edge && kind == core.EventEmitted
	return func(path string) string {
		if field, ok := at[path]; ok {
			return field
		}
		if rest, ok := strings.CutPrefix(path, below); ok && below != "" {
			if emitted {
				return "payload"
			}
			// The members of a list carry the field that the list does.
			field, _, _ := strings.Cut(rest, ".")
			return field
		}
		return ""
	}
}
