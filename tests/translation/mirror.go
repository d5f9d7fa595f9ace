package translation

import (
	"encoding/json"
	"fmt"
)

// CheckState compares the shared state as an edge client has it with what the patches in the log make of it, where every patch
// sets keys of its own. State holds values as JSON.
func CheckState(log []Event, participant string, state map[string]string) []string {
	for _, e := range log {
		for key, value := range e.Patch {
			if got := state[key]; got != string(value) {
				return []string{fmt.Sprintf("%s has %q for key %s, which event %d set to %s", participant, got, key, e.Version, value)}
			}
		}
	}
	return nil
}

// Patch is a merge patch of the shared state, of which the tests use a flat one.
type Patch map[string]json.RawMessage
