package core

import (
	"fmt"

	"stele/internal/strictjson"
)

// Bounds of what an agent says about itself, as JSON. The directory is in memory, and every change of an agent writes its
// whole record.
const (
	MaxAgentBytes = 256 << 10
	// MaxOptionBytes bounds the options alone: agents below a parent inherit them, so one request may write them often.
	MaxOptionBytes = 16 << 10
)

// check finds what no agent's record may be.
func (a *Agent) check() error {
	if len(a.Options) > MaxOptionBytes {
		return &TooLongError{Field: "options", Unit: "bytes", Max: MaxOptionBytes, Got: len(a.Options)}
	}
	if err := a.Policy.check(a.Owner); err != nil {
		return err
	}
	encoded, err := strictjson.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode agent: %w", err)
	}
	if len(encoded) > MaxAgentBytes {
		return &TooLongError{Field: "agent", Unit: "bytes", Max: MaxAgentBytes, Got: len(encoded)}
	}
	return nil
}
