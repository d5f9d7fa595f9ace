package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// record plays the demo on a gateway of its own.
func record(t *testing.T) *recording {
	t.Helper()
	var rec recording
	g, err := startGateway(t.Context(), demoConfig{data: t.TempDir(), listen: "127.0.0.1:0"})
	require.NoError(t, err)
	counted, err := play(t.Context(), g, rec.add)
	require.NoError(t, errors.Join(err, g.stop()))
	require.Equal(t, tally{messages: 11, deliveries: 28}, counted)
	return &rec
}

// TestTheRecordingInTheREADME: the picture shows what the demo does now, whatever ids and times a run has.
func TestTheRecordingInTheREADME(t *testing.T) {
	golden := filepath.Join("..", "..", "docs", "images", "demo.svg")
	got := record(t).svg()
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./cmd/stele -run TestTheRecordingInTheREADME -update")
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "(docs/images/demo.svg)")
}

// TestARecordingIsSmallAndEnds: a README can show it, and it comes to rest with the tally.
func TestARecordingIsSmallAndEnds(t *testing.T) {
	rec := record(t)
	picture := rec.svg()
	require.Equal(t, picture, rec.svg())
	require.Less(t, len(picture), 100<<10)
	texts, elements := parsed(t, picture)
	require.NotContains(t, elements, "script")
	require.Equal(t, "11 messages, 28 deliveries, 0 losses, 0 repeats", texts[len(texts)-1])
	for _, text := range texts[1:] {
		require.LessOrEqual(t, utf8.RuneCountInString(text), screenColumns, text)
	}

	delays := regexp.MustCompile(`animation-delay:([\d.]+)s`).FindAllSubmatch(picture, -1)
	require.Len(t, delays, len(rec.steps))
	last := -1.0
	for _, d := range delays {
		at, err := strconv.ParseFloat(string(d[1]), 64)
		require.NoError(t, err)
		require.Greater(t, at, last)
		last = at
	}
	require.InDelta(t, recordingSeconds, last, 0.01)

	// What stands outside of the animations is the last screen: the last line is its lowest.
	lines := regexp.MustCompile(`<text y="(\d+)">`).FindAllSubmatch(picture, -1)
	lowest, err := strconv.Atoi(string(lines[len(lines)-1][1]))
	require.NoError(t, err)
	rest := regexp.MustCompile(`\.roll\{transform:translateY\((-\d+)px\);animation:roll [\d.]+s linear\}`).FindSubmatch(picture)
	require.NotNil(t, rest)
	rolled, err := strconv.Atoi(string(rest[1]))
	require.NoError(t, err)
	require.Equal(t, titleBar+screenRows*lineHeight, lowest+rolled)
}

// TestARecordingEscapesEverything: what was said or sent cannot become part of the picture's markup.
func TestARecordingEscapesEverything(t *testing.T) {
	hostile := "</tspan><script>alert('1')</script>&amp;\x00\xff \"quoted\" ]]>"
	shown := "</tspan><script>alert('1')</script>&amp;\uFFFD\uFFFD \"quoted\" ]]>"
	for name, s := range map[string]step{
		"start": {kind: stepStart, text: hostile}, "heading": {kind: stepHeading, text: hostile},
		"speech": {kind: stepSpeech, speaker: hostile, from: onEdge, to: []string{onSwitch}, text: hostile},
		"note":   {kind: stepNote, text: hostile},
		"wire":   {kind: stepNote, rows: []row{{label: onEdge, way: wayIn, wire: `{"a":"` + hostile + `"}`}}},
		"kept":   {kind: stepNote, rows: []row{{label: onEdge, way: wayIn, wire: `{"a":"` + hostile + `"}`, keep: hostile}}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording{steps: []step{s}}
			texts, elements := parsed(t, rec.svg())
			require.Contains(t, strings.Join(texts, "\n"), shown)
			require.NotContains(t, elements, "script")
		})
	}
}

// parsed reads a picture as XML: the text of each text element, and which elements there are.
func parsed(t *testing.T, picture []byte) (texts, elements []string) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(picture))
	within := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts, elements
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			elements = append(elements, x.Name.Local)
			if x.Name.Local == "text" {
				within = true
				texts = append(texts, "")
			}
		case xml.EndElement:
			within = within && x.Name.Local != "text"
		case xml.CharData:
			if within {
				texts[len(texts)-1] += string(x)
			}
		}
	}
}

func TestNormalise(t *testing.T) {
	for text, want := range map[string]string{
		`room_01a22e8d-f90f-7bea-b62f-000bf4aa29c8 is "msg_01a22e8d-f916-7403-be59-71c400000000"`: `room_… is "msg_…"`,
		"id: dly_AAAAAAAAABYBoi6N-VmtxAOxiGtg\nevent: room.turn_ready":                            "id: dly_…\nevent: room.turn_ready",
		`"at":"2026-11-30T22:23:06.006Z","timestamp":1796077386022`:                               `"at":"…","timestamp":…`,
		`"created_at":"2026-11-30T22:23:06Z"`:                                                     `"created_at":"…"`,
		`"bundle_hash":"` + strings.Repeat("0f", 32) + `"`:                                        `"bundle_hash":"…"`,
		"listens on http://127.0.0.1:44025.":                                                      "listens on http://127.0.0.1:8080.",
		`{"sequence":12,"note":"at 11:45 in room_4"}`:                                             `{"sequence":12,"note":"at 11:45 in room_4"}`,
	} {
		require.Equal(t, want, normalise(text))
	}
}

func TestAbridge(t *testing.T) {
	const event = `{"type":"message","room":"r","payload":{"body":"a, {b}: \"c\"","tags":["x","y"]},"sequence":12}`
	for _, c := range []struct {
		text, keep string
		width      int
		want       string
	}{
		{event, "a, {b}", 200, event},
		{event, `a, {b}: \"c\"`, 60, `{"type":"message",…"body":"a, {b}: \"c\"",…"sequence":12}`},
		{event, `a, {b}: \"c\"`, 45, `{…"body":"a, {b}: \"c\"",…"sequence":12}`},
		{event, `a, {b}: \"c\"`, 30, `{…"body":"a, {b}: \"c\"",…}`},
		{event, `a, {b}: \"c\"`, 26, `{…"body":"a, {b}: \"c\"",…`},
		{event, `a, {b}: \"c\"`, 12, `{…"body":"a…`},
		{event, "", 24, `{…"sequence":12}`},
		{event, "", 17, `{…"sequence":12}`},
		{event, "", 10, `{…}`},
		{"id: 5↵ data: " + event, "", 30, `id: 5↵ data: {…"sequence":12}`},
		{"no fields at all", "", 8, "no fiel…"},
		{"x", "", 0, ""},
	} {
		require.Equal(t, c.want, abridge(c.text, c.keep, c.width))
	}
}

// TestAbridgeFits: whatever the text is, the result is not wider than asked, and an abridged text is the text without some
// pieces.
func TestAbridgeFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab\"\\,{[:…é🚢"))).Draw(t, "text")
		width := rapid.IntRange(0, 40).Draw(t, "width")
		got := abridge(text, rapid.StringN(0, 3, -1).Draw(t, "keep"), width)
		require.LessOrEqual(t, utf8.RuneCountInString(got), width)
		require.Equal(t, text, strings.Join(fieldsOf(text), ""))
	})
}
