package logtest

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// testAppend checks what an accepted append leaves behind.
func testAppend(t *testing.T, open Open) {
	t.Run("positions rise over all streams", func(t *testing.T) {
		f := start(t, open)
		var last core.Position
		for i := range 10 {
			stream := core.RoomStream(fmt.Sprint(i % 3))
			for _, r := range f.append(stream, f.last(stream), uint64(i+1), 1+i%4) {
				require.Greater(t, r.Position, last)
				last = r.Position
			}
			require.Equal(t, last, f.last(stream))
			require.Equal(t, last, f.head())
		}
	})
	t.Run("nothing written yet", func(t *testing.T) {
		f := start(t, open)
		require.Zero(t, f.head())
		require.Zero(t, f.last(core.DirectoryStream))
		require.Empty(t, f.read(core.DirectoryStream, 0))
		require.Empty(t, f.readBack(core.DirectoryStream, 0))
	})
	t.Run("no events", func(t *testing.T) {
		f := start(t, open)
		positions, err := f.log.Append(f.ctx, core.DirectoryStream, 0, nil)
		require.NoError(t, err)
		require.Empty(t, positions)
		require.Zero(t, f.head())
	})
	t.Run("read as written", func(t *testing.T) { testReadAsWritten(t, open) })
	t.Run("caller keeps the slice of events", func(t *testing.T) {
		f := start(t, open)
		given := events("s", 1, 3)
		positions, err := f.log.Append(f.ctx, "s", 0, given)
		require.NoError(t, err)
		want := recorded(t, "s", events("s", 1, 3), positions)
		for i := range want {
			want[i].Payload = given[i].Payload
		}
		clear(given)
		requireSame(t, want, f.read("s", 0))
	})
	t.Run("a large unit", func(t *testing.T) {
		f := start(t, open)
		want := f.append("s", 0, 1, 3000)
		requireSame(t, want, f.read("s", 0))
		requireSame(t, want, f.readBack("s", 0))
		requireSame(t, want, f.tail(0, f.head()))
	})
}

// testReadAsWritten checks the forms an event may take.
func testReadAsWritten(t *testing.T, open Open) {
	f := start(t, open)
	east := time.FixedZone("east", 5*3600)
	given := []core.Event{
		{Kind: core.RoomCreated, Version: 1, At: epoch, Body: []byte(`{}`)},
		{Kind: "unheard.of", Version: 2, At: epoch.Add(123456 * time.Nanosecond).In(east), Body: []byte(`{"a":"\u0000ü☃"}`)},
		{Kind: core.MessagePosted, Version: 3, At: epoch, Body: []byte(`{}`), Content: []byte(`"text"`)},
		{Kind: core.MessagePosted, Version: 4, At: epoch, Body: []byte(`{}`), Receipt: []byte(`{"k":1}`)},
		{Kind: core.MessagePosted, Version: 5, At: time.UnixMilli(-1), Body: []byte(`{}`)},
		{
			Kind: core.MessagePosted, Version: 1 << 62, At: epoch, Body: []byte(`{}`),
			Content: fmt.Appendf(nil, `"%s"`, bytes.Repeat([]byte("long"), 1<<18)),
		},
	}
	positions, err := f.log.Append(f.ctx, "s", 0, given)
	require.NoError(t, err)
	want := recorded(t, "s", given, positions)
	want[1].At = epoch // whole milliseconds, UTC
	want[4].At = time.UnixMilli(-1).UTC()
	requireSame(t, want, f.read("s", 0))
	requireSame(t, want, f.readBack("s", 0))
	requireSame(t, want, f.tail(0, f.head()))
}
