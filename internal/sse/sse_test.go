package sse_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"stele/internal/sse"
)

func TestAppendWritesExactBytes(t *testing.T) {
	tests := []struct {
		name  string
		frame sse.Frame
		want  string
	}{
		{"whole", sse.Frame{ID: "4813", Event: "message", Data: []byte(`{"a":1}`)}, "id: 4813\nevent: message\ndata: {\"a\":1}\n\n"},
		{"control", sse.Frame{Event: "gap", Data: []byte(`{}`)}, "event: gap\ndata: {}\n\n"},
		{"retry", sse.Frame{Retry: 2500, Data: []byte("x")}, "retry: 2500\ndata: x\n\n"},
		{"negative retry", sse.Frame{Retry: -1, Data: []byte("x")}, "data: x\n\n"},
		{"no data", sse.Frame{Event: "ping"}, "event: ping\ndata: \n\n"},
		{"lines", sse.Frame{Data: []byte("a\nb\r\nc\rd\n")}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
		{"injection", sse.Frame{ID: "1\ndata: evil\n\n", Event: "x\r\nid: 2\x00", Data: []byte("y")}, "id: 1data: evil\nevent: xid: 2\ndata: y\n\n"},
		{"id of line ends", sse.Frame{ID: "\n", Data: []byte("y")}, "data: y\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, "before|"+tt.want, string(sse.Append([]byte("before|"), tt.frame)))
		})
	}
}

func TestAppendComment(t *testing.T) {
	require.Equal(t, ": keepalive\n\n", string(sse.AppendComment(nil, "keepalive")))
	require.Equal(t, ": a\n: data: evil\n\n", string(sse.AppendComment(nil, "a\ndata: evil")))
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []sse.Event
		err          error
	}{
		{"plain", "id: 1\nevent: e\ndata: d\n\n", []sse.Event{{ID: "1", HasID: true, Event: "e", Data: []byte("d")}}, io.EOF},
		{"crlf", "id: 1\r\ndata: d\r\n\r\n", []sse.Event{{ID: "1", HasID: true, Data: []byte("d")}}, io.EOF},
		{"no space, two spaces", "event:e\ndata:  d\n\n", []sse.Event{{Event: "e", Data: []byte(" d")}}, io.EOF},
		{"byte order mark", "\ufeffdata: d\n\n", []sse.Event{{Data: []byte("d")}}, io.EOF},
		{"several data lines", "data: a\ndata\ndata: b\n\n", []sse.Event{{Data: []byte("a\n\nb")}}, io.EOF},
		{"comment alone", ": keepalive\n\n", []sse.Event{{Comment: true, Data: []byte("keepalive")}}, io.EOF},
		{"comment inside", "id: 1\n: c\ndata: d\n\n", []sse.Event{{Comment: true, Data: []byte("c")}, {ID: "1", HasID: true, Data: []byte("d")}}, io.EOF},
		{"unknown field only", "foo: bar\n\ndata: d\n\n", []sse.Event{{Data: []byte("d")}}, io.EOF},
		{"empty id", "id\ndata: d\n\n", []sse.Event{{HasID: true, Data: []byte("d")}}, io.EOF},
		{"id with NUL", "id: \x00\ndata: d\n\n", []sse.Event{{Data: []byte("d")}}, io.EOF},
		{"retry", "retry: 10\n\nretry: 1x\n\nretry: 99999999999\n\n", []sse.Event{{Retry: 10}}, io.EOF},
		{"breaks off", "data: a\n\nid: 2\ndata: b\n", []sse.Event{{Data: []byte("a")}}, io.ErrUnexpectedEOF},
		{"breaks off in a line", "data: a\n\nid: 2", []sse.Event{{Data: []byte("a")}}, io.ErrUnexpectedEOF},
		{"nothing", "", nil, io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream))} {
				r := sse.NewReader(src, 0)
				var got []sse.Event
				var raw strings.Builder
				var err error
				for {
					var ev sse.Event
					ev, err = r.Next()
					raw.Write(r.Raw())
					if err != nil {
						break
					}
					got = append(got, ev)
				}
				require.ErrorIs(t, err, tt.err)
				require.Equal(t, tt.want, got)
				require.Equal(t, tt.stream, raw.String())
			}
		})
	}
}

func TestReaderShowsAWholeCommentAsRaw(t *testing.T) {
	r := sse.NewReader(strings.NewReader(": keepalive\n\ndata: d\n\n"), 0)
	_, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, ": keepalive\n\n", string(r.Raw()))
	_, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "data: d\n\n", string(r.Raw()))
}

// repeated is a text that goes on for ever.
type repeated string

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r[i%len(r)]
	}
	return len(p) / len(r) * len(r), nil
}

func TestReaderHoldsNoMoreOfNothingThanAllowed(t *testing.T) {
	for _, text := range []string{"\n", "\r\n", "id: \x00\n\n", "retry: x\n\n", "foo\n\n"} {
		r := sse.NewReader(io.LimitReader(repeated(text), 1<<20), 1000)
		_, err := r.Next()
		require.ErrorIs(t, err, sse.ErrFrameTooLarge, "%q", text)
		require.Less(t, len(r.Raw()), 3000)
	}
}

func TestReaderBoundsFrames(t *testing.T) {
	frame := "data: " + strings.Repeat("x", 20_000) + "\n\n"
	r := sse.NewReader(strings.NewReader(frame+frame), len(frame))
	for range 2 {
		ev, err := r.Next()
		require.NoError(t, err)
		require.Len(t, ev.Data, 20_000)
	}
	_, err := sse.NewReader(strings.NewReader(frame), len(frame)-1).Next()
	require.ErrorIs(t, err, sse.ErrFrameTooLarge)

	manyLines := strings.Repeat("data: x\n", 100)
	_, err = sse.NewReader(strings.NewReader(manyLines), 100).Next()
	require.ErrorIs(t, err, sse.ErrFrameTooLarge)
}

func TestReaderPassesErrorsOn(t *testing.T) {
	boom := errors.New("boom")
	_, err := sse.NewReader(iotest.ErrReader(boom), 0).Next()
	require.ErrorIs(t, err, boom)
}
