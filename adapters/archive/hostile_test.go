package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/archive"
	"stele/core"
	"stele/internal/strictjson"
)

// sealed is lines with a trailer that fits them.
func sealed(events, media int, lines ...string) string {
	body := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(body))
	return body + fmt.Sprintf(`{"stele":"end","events":%d,"media":%d,"sha256":"%s"}`, events, media, hex.EncodeToString(sum[:])) + "\n"
}

const (
	head = `{"stele":"room","format":1,"log":"l","exported_at":"2026-01-02T03:04:05Z","events":2,"media":true,"room":{"id":"room_1","name":"n"}}`
	born = `{"position":1,"version":1,"at":"2026-01-02T03:04:05Z","room":"room_1","kind":"room.created","event":{"id":"room_1","name":"n","state":"ACTIVE"}}`
	says = `{"position":2,"version":2,"at":"2026-01-02T03:04:06Z","room":"room_1","kind":"message.posted","event":` +
		`{"id":"m","turn":0,"sender":"s","media":["med_1"],"sender_name":"S","text":"t","attachments":[{"media":"med_1","filename":"f","type":"t","size":3}]}}`
	file3 = `{"stele":"media","id":"med_1","size":3}`
	part3 = `{"stele":"part","data":"YWJj"}`
)

// TestFilesThatAreRefused: each with the line that is wrong, and nothing of it is kept, not even a content that was whole.
func TestFilesThatAreRefused(t *testing.T) {
	n := newNode(t, core.Options{})
	whole := sealed(2, 1, head, born, says, file3, part3)
	for name, tc := range map[string]struct {
		file string
		is   error
		line int
	}{
		"empty":                    {file: "", is: archive.ErrEmpty},
		"blank":                    {file: " \n\n", is: archive.ErrEmpty},
		"no JSON":                  {file: "hello\n", is: archive.ErrUnknownForm},
		"another JSON":             {file: `{"a":1}`, is: archive.ErrUnknownForm},
		"cut off":                  {file: whole[:strings.Index(whole, `{"stele":"end"`)], is: archive.ErrCutOff},
		"cut off in a line":        {file: whole[:len(head)+len(born)], line: 2},
		"cut off in a content":     {file: head + "\n" + born + "\n" + says + "\n" + file3 + "\n", is: archive.ErrCutOff},
		"changed":                  {file: strings.Replace(whole, `"text":"t"`, `"text":"u"`, 1), is: archive.ErrChanged, line: 6},
		"more behind":              {file: whole + "{}\n", is: archive.ErrAfterEnd, line: 7},
		"newer":                    {file: strings.Replace(whole, `"format":1`, `"format":2`, 1), is: archive.ErrNewer, line: 1},
		"no room":                  {file: sealed(0, 0, `{"stele":"log","format":1}`), is: archive.ErrUnknownForm, line: 1},
		"garbage":                  {file: sealed(2, 0, head, born, "{]"), line: 3},
		"another room":             {file: sealed(2, 0, head, strings.ReplaceAll(born, "room_1", "room_2")), line: 2},
		"a version twice":          {file: sealed(2, 0, head, born, born), line: 3},
		"a kind of a newer one":    {file: sealed(2, 0, head, born, strings.Replace(says, "message.posted", "message.sung", 1)), line: 3},
		"fewer events":             {file: sealed(2, 0, head, born), line: 3},
		"more contents":            {file: sealed(2, 2, head, born, says, file3, part3), line: 6},
		"a content nobody has":     {file: sealed(2, 1, head, born, says, strings.Replace(file3, "med_1", "med_2", 1), part3), line: 4},
		"a content twice":          {file: sealed(2, 2, head, born, says, file3, part3, file3, part3), line: 6},
		"a content too long":       {file: sealed(2, 1, head, born, says, strings.Replace(file3, `:3`, `:2`, 1), part3), line: 5},
		"a content too short":      {file: sealed(2, 1, head, born, says, strings.Replace(file3, `:3`, `:4`, 1), part3), line: 6},
		"a content of no size":     {file: sealed(2, 1, head, born, says, strings.Replace(file3, `:3`, `:-1`, 1)), line: 4},
		"no base64":                {file: sealed(2, 1, head, born, says, file3, `{"stele":"part","data":"*"}`), line: 5},
		"an event behind contents": {file: sealed(2, 1, head, says, file3, part3, strings.Replace(born, `"version":1`, `"version":3`, 1)), line: 5},
		"an unknown mark":          {file: sealed(2, 0, head, born, `{"stele":"tape"}`), line: 3},
		"too deep":                 {file: sealed(2, 0, head, born, strings.Repeat("[", 5000)), line: 3},
		"a huge line":              {file: head + "\n" + strings.Repeat("x", archive.MaxLine+1), is: archive.ErrLineTooLong, line: 2},
		"too many events":          {file: strings.Replace(whole, `"events":2`, `"events":99999999`, 1), is: archive.ErrTooLarge, line: 1},
		"a transcript of nothing":  {file: `{"room_topic":"t","messages":[]}`},
		"a transcript without it":  {file: `{"room_topic":"","messages":[]}`},
		"messages without times":   {file: `{"room_topic":"t","messages":[{"sender_id":"a"}]}`},
		"an answer of nothing":     {file: `{"threads":[]}`},
		"an answer without times":  {file: `{"threads":[{"root":{"id":"m","sender":"s","body":"b"},"replies":[]}]}`},
		"a result of another":      {file: `{"result":{"rooms":[]}}`},
		"frames without messages":  {file: `{"json":{"v":1,"kind":"pong"}}` + "\n"},
		"a broken second frame":    {file: `{"json":{"v":1,"kind":"pong"}}` + "\n{]\n", line: 2},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := archive.Read(t.Context(), strings.NewReader(tc.file), archive.ReadOptions{Media: n})
			require.Error(t, err)
			require.Nil(t, a)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			if tc.line > 0 {
				var at *archive.LineError
				require.ErrorAs(t, err, &at)
				require.Equal(t, tc.line, at.Line, "%v", err)
			}
			stored(t, n)
		})
	}
}

// stored asserts that nothing lies in the media store: a node drops what no message has.
func stored(t *testing.T, n *core.Node) {
	t.Helper()
	require.Empty(t, n.Rooms())
}

// TestWholeFile is the file that the others are broken from.
func TestWholeFile(t *testing.T) {
	n := newNode(t, core.Options{})
	file := sealed(2, 1, head, born, says, file3, part3)
	a, err := archive.Read(t.Context(), strings.NewReader(file), archive.ReadOptions{Media: n})
	require.NoError(t, err)
	require.Len(t, a.Events, 2)
	require.Equal(t, 3, a.Events[1].Line)
	require.Len(t, a.Media, 1)
	require.NoError(t, a.Discard(t.Context(), n))
	without, err := archive.Read(t.Context(), strings.NewReader(file), archive.ReadOptions{})
	require.NoError(t, err)
	require.Empty(t, without.Media)
	windows, err := archive.Read(t.Context(), strings.NewReader("\n"+file+"\n\n"), archive.ReadOptions{Form: archive.Stele})
	require.ErrorIs(t, err, archive.ErrChanged, "a file with a line before its first is another file: %v", windows)
}

// TestUnknownKindsAreSkippedWhenTold so, and counted.
func TestUnknownKindsAreSkippedWhenTold(t *testing.T) {
	file := sealed(2, 0, head, born, strings.Replace(says, "message.posted", "message.sung", 1))
	_, err := archive.Read(t.Context(), strings.NewReader(file), archive.ReadOptions{})
	var unknown *archive.UnknownKindError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, core.Kind("message.sung"), unknown.Kind)
	a, err := archive.Read(t.Context(), strings.NewReader(file), archive.ReadOptions{SkipUnknown: true})
	require.NoError(t, err)
	require.Equal(t, 1, a.Skipped)
	require.Len(t, a.Events, 1)
}

// keeping is a media store that remembers what it has.
type keeping map[string]int

func (k keeping) PutMedia(_ context.Context, content io.Reader) (core.Media, error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return core.Media{}, err
	}
	id := fmt.Sprint("med_", len(k))
	k[id] = len(b)
	return core.Media{ID: id, Size: int64(len(b))}, nil
}

func (k keeping) DropMedia(_ context.Context, ids ...string) error {
	for _, id := range ids {
		delete(k, id)
	}
	return nil
}

// halves are a message in each other form, whose text ends in half of a character.
func halves() map[string]string {
	return map[string]string{
		"areyouai": `{"room_id":"r","room_topic":"t","state":"ACTIVE","messages":[{"id":"m","sender_id":"a","sender_name":"A","ciphertext":"x\ud800","created_at":"2020-01-01T00:00:00Z"}]}`,
		"switch":   `{"threads":[{"root":{"id":"a","kind":"message","sender":"x","sender_name":"X","body":"x\ud800","timestamp":1577836800000},"replies":[]}]}`,
		"edge":     `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"x\ud800","seq":1,"at":"2020-01-01T00:00:00.000Z"}]},"meta":{"values":{"snapshot.0.at":["Date"]}}}`,
	}
}

// wholeOf is such a file with a whole character.
func wholeOf(file string) string { return strings.Replace(file, `\ud800`, `\ud83d\ude00`, 1) }

// TestHalvesOfCharactersAreRefused: what no log can hold is refused in every form, and not altered.
func TestHalvesOfCharactersAreRefused(t *testing.T) {
	for name, file := range halves() {
		_, err := archive.Read(t.Context(), strings.NewReader(file), archive.ReadOptions{})
		require.ErrorIs(t, err, strictjson.ErrLoneSurrogate, name)
		_, err = archive.Read(t.Context(), strings.NewReader(wholeOf(file)), archive.ReadOptions{})
		require.NoError(t, err, name)
	}
}

// TestOtherFormsMakePrivateRooms: a conversation of two must not become everybody's because its form does not say whose it is.
func TestOtherFormsMakePrivateRooms(t *testing.T) {
	for name, file := range halves() {
		n := newNode(t, core.Options{})
		stranger := register(t, n, "stranger")
		got := bring(t, n, []byte(wholeOf(file)), func(cmd *core.ImportRoom) { cmd.Owner = "acme" })
		sum, _ := n.Room(got.Room)
		require.False(t, sum.ReadPublic, name)
		err := n.JoinRoom(t.Context(), got.Room, core.JoinRoom{Inviter: stranger.Agent.ID, Member: member(stranger)})
		require.ErrorIs(t, err, core.ErrNotAllowed, name)
	}
}

// TestFramesOfSeveralConnections: what a later connection repeats is said once, and a whole log takes the place of what came before.
func TestFramesOfSeveralConnections(t *testing.T) {
	frame := func(key string, numbers ...int) string {
		var items, dates []string
		for i, n := range numbers {
			items = append(items, fmt.Sprintf(`{"role":"user","content":"m%d","seq":%d,"at":"2020-01-01T00:00:00.000Z"}`, n, n))
			dates = append(dates, fmt.Sprintf(`"%s.%d.at":["Date"]`, key, i))
		}
		return `{"json":{"v":1,"kind":"messages","` + key + `":[` + strings.Join(items, ",") + `]},"meta":{"values":{` + strings.Join(dates, ",") + `},"v":1}}` + "\n"
	}
	first := frame("snapshot", 1, 2) + frame("appended", 3)
	for name, tc := range map[string]struct{ file, want string }{
		"once":                  {first, "m1 m2 m3"},
		"from the beginning":    {first + first, "m1 m2 m3"},
		"by cursors":            {first + frame("appended", 2, 3, 4), "m1 m2 m3 m4"},
		"after the log was cut": {first + frame("snapshot", 1) + frame("appended", 2), "m1 m2"},
	} {
		a, err := archive.Read(t.Context(), strings.NewReader(tc.file), archive.ReadOptions{})
		require.NoError(t, err, name)
		var said []string
		for _, e := range a.Events {
			if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
				said = append(said, p.Text)
			}
		}
		require.Equal(t, tc.want, strings.Join(said, " "), name)
	}
}

// TestContentsOfARefusedFileAreDropped, also of one whose reader fails behind them.
func TestContentsOfARefusedFileAreDropped(t *testing.T) {
	broken := errors.New("the disk is gone")
	k := keeping{}
	whole := head + "\n" + born + "\n" + says + "\n" + file3 + "\n" + part3 + "\n"
	_, err := archive.Read(t.Context(), io.MultiReader(strings.NewReader(whole), &failingReader{broken}), archive.ReadOptions{Media: k})
	require.ErrorIs(t, err, broken)
	require.Empty(t, k)
	_, err = archive.Read(t.Context(), strings.NewReader(whole), archive.ReadOptions{Media: k})
	require.ErrorIs(t, err, archive.ErrCutOff)
	require.Empty(t, k)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = archive.Read(gone, strings.NewReader(whole), archive.ReadOptions{Media: k})
	require.ErrorIs(t, err, context.Canceled)
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestTimesThatGoBack keep their places.
func TestTimesThatGoBack(t *testing.T) {
	n := newNode(t, core.Options{})
	frame := `{"json":{"v":1,"kind":"messages","snapshot":[` +
		`{"role":"user","content":"b","seq":1,"at":"2026-01-02T03:04:06.000Z"},{"role":"assistant","content":"a","seq":2,"at":"2026-01-02T03:04:05.000Z"}]},` +
		`"meta":{"values":{"snapshot.0.at":["Date"],"snapshot.1.at":["Date"]},"v":1}}`
	got := bring(t, n, []byte(frame), nil)
	require.Positive(t, got.Backwards)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, []line{{"user", "b", at.Add(time.Second)}, {"assistant", "a", at}}, conversation(t, n, got.Room))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sealed(2, 1, head, born, says, file3, part3)))
	f.Add([]byte(`{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"hi","seq":1,"at":"2026-01-02T03:04:05.678Z"}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`))
	f.Add([]byte(`{"threads":[{"root":{"id":"m","kind":"message","sender":"s","sender_name":"S","body":"b","timestamp":5,"attachments":[]},"replies":[]}],"truncated":false,"oldest_timestamp":5}`))
	f.Add([]byte(`{"room_id":"r","room_topic":"t","agent_a_id":"a","agent_b_id":"b","turn_index":1,"next_actor_id":"b","state":"ACTIVE","messages":[{"id":"m","sender_id":"a","sender_name":"A","turn":0,"ciphertext":"x","created_at":"2026-01-02T03:04:05Z"}]}`))
	n, end := openNode(f, core.Options{})
	f.Cleanup(end)
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := archive.Read(t.Context(), bytes.NewReader(file), archive.ReadOptions{SkipUnknown: true})
		if err != nil {
			return
		}
		made, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: a.Events, From: string(a.Form), Again: true})
		if err != nil {
			return
		}
		// What was taken can be written and taken again.
		written := export(t, n, made.Room, false)
		back := bring(t, n, written, func(c *core.ImportRoom) { c.Again = true })
		require.Equal(t, made.Messages, back.Messages)
	})
}
