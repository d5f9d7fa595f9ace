package scripts_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts"
	"stele/adapters/scripts/samples"
	"stele/core"
)

// written is a conversation in a script.
func written(t testing.TB, s scripts.Script, o scripts.Options, entries ...*core.Entry) string {
	t.Helper()
	enc, err := scripts.NewEncoder(s, o)
	require.NoError(t, err)
	var text []byte
	for _, e := range entries {
		text, err = enc.Append(text, e)
		require.NoError(t, err)
	}
	return string(text)
}

// readAll reads a text to its end.
func readAll(t testing.TB, s scripts.Script, o scripts.Options, text io.Reader) ([]*core.Entry, error) {
	t.Helper()
	dec, err := scripts.NewDecoder(s, text, o)
	require.NoError(t, err)
	var out []*core.Entry
	for {
		e, err := dec.Next()
		if err != nil {
			_, again := dec.Next()
			require.Equal(t, err, again, "an error stays")
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return out, err
		}
		out = append(out, e)
	}
}

// plain is what was read, one event per line in the log's own words.
func plain(t testing.TB, entries []*core.Entry) string {
	t.Helper()
	return written(t, scripts.Core, scripts.Options{}, entries...)
}

func TestEveryScriptIsReadBackWhole(t *testing.T) {
	o := scripts.Options{Self: samples.Ada, Agent: samples.Bob, ChannelType: "channel_public", Comments: true}
	story := samples.Story()
	want := plain(t, story)
	for _, s := range scripts.All() {
		text := written(t, s, o, story...)
		forms := map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"with the line ends of Windows": strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
		}
		if s == scripts.Switch || s == scripts.Areyouai {
			forms["with the line ends of an old Macintosh"] = strings.NewReader(strings.ReplaceAll(text, "\n", "\r"))
			forms["with ends of Windows, byte by byte"] = iotest.OneByteReader(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")))
		}
		for name, r := range forms {
			got, err := readAll(t, s, o, r)
			require.NoError(t, err, "%s %s", s, name)
			require.Equal(t, want, plain(t, got), "%s %s", s, name)
		}
		got, err := readAll(t, s, o, strings.NewReader(text+text))
		require.NoError(t, err)
		require.Equal(t, want, plain(t, got), "%s: what is repeated comes once", s)
	}
}

// TestPiecesThatWereCountedEachByItselfStayWhole: what two captures became one by one has versions, or positions, of its own.
func TestPiecesThatWereCountedEachByItselfStayWhole(t *testing.T) {
	story := samples.Story()
	o := scripts.Options{Self: samples.Ada}
	for _, s := range []scripts.Script{scripts.Switch, scripts.Areyouai} {
		var text string
		count := 0
		for _, piece := range [][]*core.Entry{story[:len(story)/2], story[len(story)/2:]} {
			got, err := readAll(t, s, o, strings.NewReader(written(t, s, o, piece...)))
			require.NoError(t, err)
			text, count = text+plain(t, got), count+len(got)
		}
		got, err := readAll(t, scripts.Core, o, strings.NewReader(text))
		require.NoError(t, err)
		require.Len(t, got, count, s)
	}
}

// TestAnExportedRoomIsInTheLogsOwnWords: its lines that are no events are passed over.
func TestAnExportedRoomIsInTheLogsOwnWords(t *testing.T) {
	want := plain(t, samples.Story())
	text := `{"stele":"room","format":1,"log":"log_1","room":{"id":"room_1"}}` + "\n" + want +
		`{"stele":"media","id":"med_1","size":1}` + "\n" + `{"stele":"part","data":"eA=="}` + "\n" + `{"stele":"end","events":1}` + "\n"
	got, err := readAll(t, scripts.Core, scripts.Options{}, strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, want, plain(t, got))
}

// TestAnEventIsReturnedAtOnce writes event after event into a pipe that never ends, and waits for each before the next.
func TestAnEventIsReturnedAtOnce(t *testing.T) {
	for _, comments := range []bool{true, false} {
		for _, s := range scripts.All() {
			o := scripts.Options{Room: samples.Room, Self: samples.Ada, Agent: samples.Bob, Comments: comments}
			enc, err := scripts.NewEncoder(s, o)
			require.NoError(t, err)
			r, w := io.Pipe()
			dec, err := scripts.NewDecoder(s, r, o)
			require.NoError(t, err)
			for _, e := range samples.Story() {
				text, err := enc.Append(nil, e)
				require.NoError(t, err)
				if len(text) == 0 {
					continue
				}
				go func() { _, _ = w.Write(text) }()
				got, err := dec.Next()
				require.NoError(t, err, s)
				if comments {
					require.Equal(t, e.Version, got.Version)
				}
			}
			require.NoError(t, w.Close())
			_, err = dec.Next()
			require.ErrorIs(t, err, io.EOF)
		}
	}
}

func TestOnlyTheRoomThatWasAskedFor(t *testing.T) {
	var story, want []*core.Entry
	for i, e := range samples.Story() {
		other := &core.Entry{Recorded: e.Recorded}
		other.Stream = core.RoomStream("room_2")
		e.Position, other.Position = core.Position(2*i+1), core.Position(2*i+2)
		story, want = append(story, e, other), append(want, other)
	}
	for _, s := range scripts.All() {
		o := scripts.Options{Self: samples.Ada, Comments: true}
		text := written(t, s, o, story...)
		got, err := readAll(t, s, o, strings.NewReader(text))
		require.NoError(t, err, s)
		require.Equal(t, plain(t, story), plain(t, got), s)
		o.Room = "room_2"
		got, err = readAll(t, s, o, strings.NewReader(text))
		require.NoError(t, err, s)
		require.Equal(t, plain(t, want), plain(t, got), s)
	}
}

func TestGarbageIsRefusedByItsLine(t *testing.T) {
	o := scripts.Options{Room: samples.Room, Self: samples.Ada, Comments: true}
	story := samples.Story()[:12]
	for _, s := range scripts.All() {
		text := written(t, s, o, story...)
		lines := strings.Count(text, "\n")
		for name, c := range map[string]struct {
			garbage string
			line    int
		}{
			"words":         {"what is this\n\n", lines + 1},
			"half JSON":     {"data: {\"type\":\n\n", lines + 1},
			"behind spaces": {"\n\n\nwhat is this\n", lines + 4},
		} {
			got, err := readAll(t, s, o, strings.NewReader(text+c.garbage))
			var where *scripts.LineError
			require.ErrorAs(t, err, &where, "%s %s", s, name)
			require.Equal(t, c.line, where.Line, "%s %s: %v", s, name, err)
			require.Len(t, got, len(story), "%s %s: what came before it is there", s, name)
		}
	}
	_, err := scripts.NewDecoder("runes", strings.NewReader(""), o)
	require.ErrorContains(t, err, `no script "runes"`)
}

// TestATextThatEndsBehindAResidueIsCutOff: the event that it was to complete is not passed over.
func TestATextThatEndsBehindAResidueIsCutOff(t *testing.T) {
	o := scripts.Options{Room: samples.Room, Self: samples.Ada, Agent: samples.Bob, Comments: true}
	story := samples.Story()[:4]
	for _, s := range []scripts.Script{scripts.Switch, scripts.Areyouai, scripts.Edge} {
		text := written(t, s, o, story...)
		sign := map[bool]string{true: "# ", false: ": "}[s == scripts.Edge]
		got, err := readAll(t, s, o, strings.NewReader(text+sign+`stele {"version":9}`+"\n"))
		var where *scripts.LineError
		require.ErrorAs(t, err, &where, s)
		require.ErrorContains(t, err, "in the middle of a frame", s)
		require.Equal(t, strings.Count(text, "\n")+1, where.Line, s)
		require.Len(t, got, len(story), "%s: what came before it is there", s)
		_, err = readAll(t, s, o, strings.NewReader(text+sign+"a word of mine\n"))
		require.NoError(t, err, "%s: any other comment means nothing", s)
	}
}

// TestCommentsTellTheRoom: the room that was picked for writing need not be named again for reading.
func TestCommentsTellTheRoom(t *testing.T) {
	picked := scripts.Options{Room: samples.Room, Self: samples.Ada, Comments: true}
	// The story from its middle on: nothing makes the room.
	story := slices.DeleteFunc(samples.Story(), func(e *core.Entry) bool { return e.Kind == core.RoomCreated })
	for _, s := range scripts.All() {
		got, err := readAll(t, s, scripts.Options{Self: samples.Ada}, strings.NewReader(written(t, s, picked, story...)))
		require.NoError(t, err, s)
		require.NotEmpty(t, got)
		for _, e := range got {
			room, _ := e.Stream.RoomID()
			require.Equal(t, samples.Room, room, s)
		}
	}
}

func TestNothingIsReadBeyondItsBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB twice")
	}
	for s, head := range map[scripts.Script]string{scripts.Edge: "", scripts.Switch: "data: "} {
		t.Run(string(s), func(t *testing.T) {
			_, err := readAll(t, s, scripts.Options{}, io.MultiReader(strings.NewReader(head), forever{}))
			var where *scripts.LineError
			require.ErrorAs(t, err, &where)
			require.Equal(t, 1, where.Line)
			require.ErrorContains(t, err, "64 MiB")
		})
	}
}

// forever is a text of one letter without an end.
type forever struct{}

func (forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func FuzzDecode(f *testing.F) {
	o := scripts.Options{Room: samples.Room, Self: samples.Ada, Agent: samples.Bob, Comments: true}
	for i, s := range scripts.All() {
		f.Add(i, []byte(written(f, s, o, samples.Story()...)))
		f.Add(i, []byte(written(f, s, scripts.Options{Self: samples.Ada}, samples.Story()...)))
	}
	for _, text := range []string{plainSocket(f), attachedSocket(f), otherServer(f)} {
		f.Add(3, []byte(text))
	}
	f.Add(2, []byte(pages))
	f.Add(2, []byte(transcript))
	f.Fuzz(func(t *testing.T, script int, text []byte) {
		s := scripts.All()[uint(script)%4]
		events, _ := readAll(t, s, scripts.Options{Self: samples.Ada}, bytes.NewReader(text))
		for _, to := range scripts.All() {
			enc, err := scripts.NewEncoder(to, o)
			require.NoError(t, err)
			for _, e := range events {
				// What no script can say, such as a time beyond the year 9999, is refused and not fatal.
				_, _ = enc.Append(nil, e)
			}
		}
	})
}
