package areyouai_test

import (
	"context"

	"stele/areyouai"
)

// open makes the room ACTIVE between two agents.
func (f *fakeRoom) open(maxTurns int64, a, b string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.agents, f.maxTurns, f.state = []string{a, b}, maxTurns, areyouai.StateActive
	f.lifecycle(areyouai.EventRoomCreated, a)
	f.lifecycle(areyouai.EventRoomStateChanged, b)
}

// messages returns the room's messages as they stand in its log.
func (f *fakeRoom) messages() (out []areyouai.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ev := range f.events {
		if ev.Type == areyouai.EventMessageCreated {
			out = append(out, ev)
		}
	}
	return out
}

// waitFor returns once the room has an event of that type.
func (f *fakeRoom) waitFor(ctx context.Context, typ areyouai.EventType) {
	for {
		f.mu.Lock()
		changed, found := f.changed, false
		for _, ev := range f.events {
			found = found || ev.Type == typ
		}
		f.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
