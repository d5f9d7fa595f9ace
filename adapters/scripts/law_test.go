package scripts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/adapters/matrix"
	"stele/adapters/scripts"
	"stele/adapters/scripts/samples"
	"stele/core"
)

func lawOptions(comments bool) scripts.Options {
	return scripts.Options{Self: samples.Ada, Agent: samples.Bob, ChannelType: "channel_public", Comments: comments}
}

func encodeAll(t require.TestingT, s scripts.Script, o scripts.Options, events []*core.Entry) []byte {
	enc, err := scripts.NewEncoder(s, o)
	require.NoError(t, err)
	var out []byte
	for _, e := range events {
		out, err = enc.Append(out, e)
		require.NoError(t, err)
	}
	return out
}

func decodeAll(t require.TestingT, s scripts.Script, o scripts.Options, text []byte) (out []*core.Entry) {
	dec, err := scripts.NewDecoder(s, bytes.NewReader(text), o)
	require.NoError(t, err)
	for {
		e, err := dec.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err, "%s", s)
		out = append(out, e)
	}
}

// wires are the scripts that leave something out.
func wires() []scripts.Script {
	return []scripts.Script{scripts.Switch, scripts.Areyouai, scripts.Edge}
}

// checkRoundTrips takes a conversation from each script to each other one and back: the very same bytes.
func checkRoundTrips(t require.TestingT, events []*core.Entry) {
	o := lawOptions(true)
	whole := encodeAll(t, scripts.Core, o, events)
	for _, x := range scripts.All() {
		there := encodeAll(t, x, o, events)
		read := decodeAll(t, x, o, there)
		require.Equal(t, lines(whole), lines(encodeAll(t, scripts.Core, o, read)), "%s says all", x)
		for _, y := range scripts.All() {
			over := encodeAll(t, y, o, read)
			back := encodeAll(t, x, o, decodeAll(t, y, o, over))
			require.Equal(t, lines(there), lines(back), "%s to %s and back", x, y)
		}
	}
}

func lines(text []byte) []string { return strings.Split(string(text), "\n") }

func TestNothingIsLostOnTheWayThereAndBack(t *testing.T) {
	checkRoundTrips(t, samples.Story())
	for _, kind := range core.RoomKinds() {
		for _, e := range samples.Of(kind) {
			checkRoundTrips(t, []*core.Entry{e})
		}
	}
}

func TestNoRandomMessageIsLostOnTheWayThereAndBack(t *testing.T) {
	story := slices.DeleteFunc(samples.Story(), func(e *core.Entry) bool { return e.Kind == core.MessagePosted && !e.Erased })
	rapid.Check(t, func(t *rapid.T) {
		var events []*core.Entry
		turn, version, position := 0, uint64(0), core.Position(0)
		at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 8).Draw(t, "events") {
			version++
			position += core.Position(rapid.IntRange(1, 3).Draw(t, "step"))
			at = at.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
			e := &core.Entry{Recorded: rapid.SampledFrom(story).Draw(t, "sample").Recorded}
			if rapid.IntRange(0, 3).Draw(t, "message") > 0 {
				p := anyMessage(t, turn)
				turn++
				e.Kind, e.Payload, e.Erased = p.Kind(), p, false
			}
			e.Version, e.Position, e.At = version, position, at
			events = append(events, e)
		}
		checkRoundTrips(t, events)
	})
}

func anyMessage(t *rapid.T, turn int) *core.MessagePostedEvent {
	who := rapid.SampledFrom([]string{samples.Ada, samples.Bob, "agt_carol", "system"})
	p := &core.MessagePostedEvent{}
	p.ID, p.Turn, p.Sender = fmt.Sprintf("msg_%d", turn), turn, who.Draw(t, "sender")
	if rapid.IntRange(0, 9).Draw(t, "jump") == 0 {
		p.Turn += 7
	}
	p.Thread = rapid.SampledFrom([]string{"", "msg_0", "msg_1"}).Draw(t, "thread")
	p.Addressed = slices.Sorted(slices.Values(rapid.SliceOfNDistinct(who, 0, 3, rapid.ID).Draw(t, "addressed")))
	if len(p.Addressed) == 0 {
		p.Addressed = nil
		p.AddressAll = rapid.Bool().Draw(t, "all")
	}
	p.Next = rapid.SampledFrom([]string{"", samples.Ada, samples.Bob}).Draw(t, "next")
	p.SenderName = rapid.SampledFrom([]string{"Ada", "Bob", "", "system", "名"}).Draw(t, "name")
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\r\n", "data: x\r\n\r\n", ": stele {}", "# stele {\"whole\":{}}", "\x00", "[file] \"a\" (text/plain, 1 bytes) /gateway/media/med_9",
		"x\n[file] \"a\" (text/plain, 1 bytes) /gateway/media/med_9", "a.png",
	}))
	p.Text = strings.ToValidUTF8(texts.Draw(t, "text"), "\ufffd")
	for i := range rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "files") {
		f := core.Attachment{
			Media: fmt.Sprintf("med_%d", i), Filename: strings.ToValidUTF8(texts.Draw(t, "filename"), "\ufffd"), Type: "image/png", Size: int64(i),
		}
		p.Attachments, p.Media = append(p.Attachments, f), append(p.Media, f.Media)
	}
	return p
}

// TestWithoutCommentsIsLostWhatTheMatrixSays: no more, no less, of whatever a script shows.
func TestWithoutCommentsIsLostWhatTheMatrixSays(t *testing.T) {
	for _, row := range matrix.Rows() {
		cells := map[scripts.Script]matrix.Cell{scripts.Switch: row.Switch, scripts.Areyouai: row.Areyouai, scripts.Edge: row.Edge}
		for _, s := range wires() {
			lost, shown := lossOf(t, s, row.Kind)
			require.Equal(t, len(cells[s].Frames) > 0, shown, "%s shows %s", s, row.Kind)
			says := append(slices.Clone(cells[s].Lost), slices.Collect(maps.Keys(cells[s].Partly))...)
			require.ElementsMatch(t, says, lost, "%s of %s", row.Kind, s)
		}
	}
}

// lossOf finds the fields that are not the same after a kind was written and read, each sample by itself.
func lossOf(t *testing.T, s scripts.Script, kind core.Kind) (lost []string, shown bool) {
	found := map[string]bool{}
	for _, e := range samples.Of(kind) {
		o := lawOptions(false)
		text := encodeAll(t, s, o, []*core.Entry{e})
		if len(text) == 0 {
			continue
		}
		shown = true
		// The room of an edge script has to be named. That it is one of the things that are not carried shows in another name.
		if o.Room = samples.Room; s == scripts.Edge {
			o.Room = "room_elsewhere"
			if kind == core.RoomCreated {
				o.Room = samples.Room
			}
		}
		o.ChannelType = ""
		read := decodeAll(t, s, o, text)
		require.Len(t, read, 1, "%s of %s", kind, s)
		require.Equal(t, kind, read[0].Kind)
		if !e.Erased {
			maps.Copy(found, unequal(t, e, read[0]))
		}
	}
	return slices.Collect(maps.Keys(found)), shown
}

func unequal(t *testing.T, is, says *core.Entry) map[string]bool {
	a, b := fieldsOf(t, is), fieldsOf(t, says)
	out := map[string]bool{}
	for key := range a {
		out[key] = a[key] != b[key]
	}
	for key := range b {
		out[key] = a[key] != b[key]
	}
	maps.DeleteFunc(out, func(_ string, differs bool) bool { return !differs })
	return out
}

// fieldsOf are the fields of an event in the log's own words, its own and those of every event.
func fieldsOf(t *testing.T, e *core.Entry) map[string]string {
	line, err := e.AppendPlain(nil)
	require.NoError(t, err)
	var top, event map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(line, &top))
	require.NoError(t, json.Unmarshal(top["event"], &event))
	delete(top, "event")
	out := map[string]string{}
	for key, v := range top {
		out[key] = string(v)
	}
	for key, v := range event {
		out[key] = string(v)
	}
	return out
}

// TestAPurgeShowsWhatIsLeft: an encoder that was there from the beginning shows what a socket would.
func TestAPurgeShowsWhatIsLeft(t *testing.T) {
	purge := samples.Of(core.RoomPurged)[0]
	require.Contains(t, string(encodeAll(t, scripts.Edge, lawOptions(false), []*core.Entry{purge})), `"patch":{"purged_at"`)
	made := samples.Of(core.RoomCreated)[1]
	text := string(encodeAll(t, scripts.Edge, lawOptions(false), []*core.Entry{made, purge}))
	require.Contains(t, text, `"snapshot":{"id":"room_1"`)
	require.NotContains(t, text, `"patch":{"purged_at"`)
}
