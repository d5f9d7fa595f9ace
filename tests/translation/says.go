package translation

import (
	"fmt"
	"strings"
)

// What lines say. The side that reads a wire and the side that reads the log build them from their own fields with the same
// functions, so that every field that stands here is compared.

// SwitchMessage is a message as a Switch agent sees it.
func SwitchMessage(id, sender, name, text string, addressed bool) string {
	return fmt.Sprintf("message %s of %s (%s), addressed %t: %q", id, sender, name, addressed, text)
}

// SwitchJoin is an arrival as a Switch agent sees it.
func SwitchJoin(agent string) string { return "room_join " + agent }

// SwitchNotice is what a Switch agent sees of the end of a room.
func SwitchNotice(room string, version uint64) string {
	return fmt.Sprintf("message evt_%s_%d of system", room, version)
}

// SwitchTask is a step of a task as a Switch agent sees it.
func SwitchTask(typ, task string) string { return typ + " " + task }

// AreyouaiMessage is a message as an areyouai agent sees it.
func AreyouaiMessage(id, sender string, turn uint64, text string) string {
	return fmt.Sprintf("message.created %s of %s in turn %d: %q", id, sender, turn, text)
}

// AreyouaiEvent is any other event as an areyouai agent sees it; sender may be empty.
func AreyouaiEvent(typ, sender string) string { return typ + " " + sender }

// EdgeMessage is an item of the message log as an edge client sees it.
func EdgeMessage(role, name, text string) string { return fmt.Sprintf("%s %s: %q", role, name, text) }

// EdgeEvent is an event as an edge client sees it, with the fields that tell it from others.
func EdgeEvent(typ string, fields ...string) string {
	return strings.TrimSpace(typ + " " + strings.Join(fields, " "))
}
