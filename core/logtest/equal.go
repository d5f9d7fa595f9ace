package logtest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// requireSame fails at the first record that is not what was written. The decoded form may be missing, never another.
func requireSame(t require.TestingT, want, got []core.Recorded) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	for i := range min(len(want), len(got)) {
		if diff := difference(want[i], got[i]); diff != "" {
			require.Failf(t, "another event", "record %d of %d: %s", i, len(want), diff)
		}
	}
	if len(want) != len(got) {
		require.Failf(t, "another number of events", "want %d, got %d: want %s, got %s",
			len(want), len(got), span(want), span(got))
	}
}

func span(records []core.Recorded) string {
	if len(records) == 0 {
		return "none"
	}
	return fmt.Sprintf("positions %d to %d", records[0].Position, records[len(records)-1].Position)
}

// difference says in what two records differ, or nothing.
func difference(want, got core.Recorded) string {
	for _, f := range []struct {
		name      string
		same      bool
		want, got any
	}{
		{"position", want.Position == got.Position, want.Position, got.Position},
		{"stream", want.Stream == got.Stream, want.Stream, got.Stream},
		{"kind", want.Kind == got.Kind, want.Kind, got.Kind},
		{"version", want.Version == got.Version, want.Version, got.Version},
		{"time", want.At.Equal(got.At), want.At, got.At},
		{"time zone", got.At.Location() == time.UTC, time.UTC, got.At.Location()},
		{"erased", want.Erased == got.Erased, want.Erased, got.Erased},
		{"body", bytes.Equal(want.Body, got.Body), string(want.Body), string(got.Body)},
		{"content", bytes.Equal(want.Content, got.Content), string(want.Content), string(got.Content)},
		{"receipt", bytes.Equal(want.Receipt, got.Receipt), string(want.Receipt), string(got.Receipt)},
		{"payload", got.Payload == nil || got.Payload == want.Payload, want.Payload, got.Payload},
	} {
		if !f.same {
			return fmt.Sprintf("%s is %v, want %v (position %d)", f.name, f.got, f.want, got.Position)
		}
	}
	return ""
}

// erased returns how records look after everything up to a position was erased.
func erased(records []core.Recorded, upTo core.Position) []core.Recorded {
	out := make([]core.Recorded, len(records))
	for i, r := range records {
		if r.Position <= upTo && (len(r.Content) > 0 || len(r.Receipt) > 0) {
			r.Content, r.Receipt, r.Payload, r.Erased = nil, nil, nil, true
		}
		out[i] = r
	}
	return out
}
