package agentswitch

import (
	"encoding/json"
	"fmt"

	"stele/internal/strictjson"
)

// PollAnswer is what the long polls answer when there is something: events
// without their sequences. When there is nothing they answer 204.
type PollAnswer struct {
	Events []Event
}

// MarshalJSON implements json.Marshaler.
func (a PollAnswer) MarshalJSON() ([]byte, error) {
	out := []byte(`{"events":[`)
	for i, event := range a.Events {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendPolledEvent(out, event)
	}
	return append(out, "]}"...), nil
}

// UnmarshalJSON implements json.Unmarshaler. Events of a type this package
// does not know have an Unknown payload.
func (a *PollAnswer) UnmarshalJSON(data []byte) error {
	var body struct {
		Events []json.RawMessage `json:"events"`
	}
	limits := strictjson.Limits{MaxBytes: max(len(data), 1)}
	if err := strictjson.UnmarshalLimits(data, &body, limits); err != nil {
		return err
	}
	events := make([]Event, len(body.Events))
	for i, raw := range body.Events {
		event, err := ParseEvent(raw)
		if err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
		events[i] = event
	}
	a.Events = events
	return nil
}
