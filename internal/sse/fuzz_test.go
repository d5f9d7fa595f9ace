package sse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/sse"
)

// FuzzRoundTrip shows that a frame comes back as it was written and that no
// value can add a second one.
func FuzzRoundTrip(f *testing.F) {
	f.Add("1", "message", []byte(`{"type":"message"}`), 0)
	f.Add("1\n\ndata: evil", "x\revent: y", []byte("a\r\nb\rc\n"), 10)
	f.Add("\x00", ": c", []byte(" leading"), -5)
	f.Fuzz(func(t *testing.T, id, event string, data []byte, retry int) {
		retry &= 1<<31 - 1
		stream := sse.Append(nil, sse.Frame{ID: id, Event: event, Data: data, Retry: retry})
		r := sse.NewReader(bytes.NewReader(stream), len(stream))
		got, err := r.Next()
		require.NoError(t, err)
		clean := strings.NewReplacer("\r", "", "\n", "", "\x00", "")
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		require.Equal(t, clean.Replace(id), got.ID)
		require.Equal(t, clean.Replace(event), got.Event)
		require.Equal(t, lines.Replace(string(data)), string(got.Data))
		require.Equal(t, retry, got.Retry)
		require.Equal(t, string(stream), string(r.Raw()))
		_, err = r.Next()
		require.Error(t, err)
	})
}

// FuzzReader shows that any input ends in an error without a crash, and that
// the bytes shown as raw are the input.
func FuzzReader(f *testing.F) {
	f.Add([]byte("id: 1\r\nevent: e\ndata: d\n\n: c\n\nretry: 5\n\n"))
	f.Add([]byte("\ufeff:\n\n\n\ndata"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := sse.NewReader(bytes.NewReader(stream), 0)
		var raw []byte
		for {
			ev, err := r.Next()
			raw = append(raw, r.Raw()...)
			if err != nil {
				break
			}
			require.NotContains(t, ev.ID, "\n")
			require.NotContains(t, ev.Event, "\n")
		}
		require.Equal(t, string(stream), string(raw))
	})
}
