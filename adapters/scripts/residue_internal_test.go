package scripts

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/adapters/scripts/samples"
	"stele/core"
	"stele/internal/sse"
)

func plain(t require.TestingT, e *core.Entry) string {
	line, err := e.AppendPlain(nil)
	require.NoError(t, err)
	return string(line)
}

// someEvent draws an event of the story with other numbers, or one of a kind that this program does not know.
func someEvent(t *rapid.T, story []*core.Entry) *core.Entry {
	e := rapid.SampledFrom(story).Draw(t, "sample")
	out := &core.Entry{Recorded: e.Recorded}
	if rapid.IntRange(0, 9).Draw(t, "newer") == 0 {
		out.Kind, out.Payload, out.Erased = "moon.landed", nil, false
		out.Body = []byte(rapid.SampledFrom([]string{`{"z":1,"a":[2,{"b":null}]}`, `{}`, `{"a":1.50}`}).Draw(t, "body"))
	}
	out.Version = rapid.Uint64Range(1, 3).Draw(t, "version")
	out.Position = core.Position(rapid.Uint64Range(1, 3).Draw(t, "position"))
	out.At = time.Date(2026, 1, 1, 0, 0, 0, rapid.IntRange(0, 2).Draw(t, "ms")*1e6, time.UTC)
	out.Stream = core.RoomStream(rapid.SampledFrom([]string{"room_1", "room_2"}).Draw(t, "room"))
	return out
}

func TestWhatTheFramesSayAndTheResidueAreTheEvent(t *testing.T) {
	// The longest message is left to other tests: it is slow to compare, and no other than the rest here.
	story := slices.DeleteFunc(samples.Story(), func(e *core.Entry) bool {
		p, ok := e.Payload.(*core.MessagePostedEvent)
		return ok && len(p.Text) > 1000
	})
	rapid.Check(t, func(t *rapid.T) {
		event := someEvent(t, story)
		var read *core.Entry
		if rapid.Bool().Draw(t, "shown") {
			read = someEvent(t, story)
		}
		comment, err := residue(event, read)
		require.NoError(t, err)
		require.Equal(t, read == nil, stands(comment))
		back, err := restore(read, comment)
		require.NoError(t, err)
		require.Equal(t, plain(t, event), plain(t, back), "%s", comment)
		again, err := residue(event, read)
		require.NoError(t, err)
		require.Equal(t, comment, again)
	})
}

func TestAResidueHasNothingThatTheFramesSay(t *testing.T) {
	said := &core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: "msg_1", Turn: 2, Sender: "agt_1", Addressed: []string{"agt_2"}},
		MessageTexts: core.MessageTexts{SenderName: "ada", Text: "hi"},
	}
	read := *said
	read.Turn, read.Addressed, read.Thread = 3, nil, "msg_0"
	event, seen := samples.Entry(said, 4), samples.Entry(&read, 4)

	comment, err := residue(event, event)
	require.NoError(t, err)
	require.Empty(t, comment)
	comment, err = residue(event, seen)
	require.NoError(t, err)
	require.Equal(t, `{"event":{"addressed":["agt_2"],"turn":2},"absent":["thread"]}`, string(comment))

	seen.Position, seen.Version = 1, 2
	event.Erased = true
	comment, err = residue(event, seen)
	require.NoError(t, err)
	require.Equal(t, `{"position":112,"version":4,"erased":true,"event":{"addressed":["agt_2"],"turn":2},`+
		`"absent":["sender_name","text","thread"]}`, string(comment))
}

func TestCommentsThatAreNoResidue(t *testing.T) {
	for _, text := range []string{"", "keepalive", "stele", "stele ", "stele []", "stele\t{}", "stele3 {}"} {
		_, ok := cutResidue([]byte(text))
		require.False(t, ok, text)
	}
	read := samples.Of(core.MessagePosted)[0]
	for _, comment := range []string{`{`, `{"event":[]}`, `{"absent":"x"}`, `{"whole":{}}`, `{"version":"x"}`, `{"event":{"turn":"x"}}`} {
		_, err := restore(read, []byte(comment))
		require.Error(t, err, comment)
	}
	_, err := restore(nil, []byte(`{"version":3}`))
	require.ErrorIs(t, err, errNothingRead)
	back, err := restore(read, nil)
	require.NoError(t, err)
	require.Same(t, read, back)
}

// TestResidueDisturbsNoReaderOfEvents: a reader of server-sent events gets the same events with and without the comments.
func TestResidueDisturbsNoReaderOfEvents(t *testing.T) {
	for _, s := range []Script{Switch, Areyouai} {
		var bare, full []byte
		o := Options{Self: samples.Ada}
		without, err := NewEncoder(s, o)
		require.NoError(t, err)
		o.Comments = true
		with, err := NewEncoder(s, o)
		require.NoError(t, err)
		for _, e := range samples.Story() {
			bare, err = without.Append(bare, e)
			require.NoError(t, err)
			full, err = with.Append(full, e)
			require.NoError(t, err)
		}
		require.NotEqual(t, bare, full)
		require.Equal(t, eventsIn(t, bare), eventsIn(t, full))
	}
}

func eventsIn(t *testing.T, text []byte) (out []sse.Event) {
	r := sse.NewReader(bytes.NewReader(text), 0)
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		if !ev.Comment {
			out = append(out, ev)
		}
	}
}
