package matrix_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/matrix"
	"stele/adapters/scripts"
	"stele/adapters/scripts/samples"
	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/sse"
)

// declaredKinds reads the kinds out of the source, so that one that no list has yet is found too.
func declaredKinds(t *testing.T) []core.Kind {
	file, err := parser.ParseFile(token.NewFileSet(), "../../core/kinds.go", nil, 0)
	require.NoError(t, err)
	var out []core.Kind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, core.Kind(text))
		}
		return true
	})
	require.Greater(t, len(out), 50)
	return out
}

func TestEveryKindHasItsRow(t *testing.T) {
	var has, rows []core.Kind
	for _, r := range matrix.Rows() {
		rows = append(rows, r.Kind)
		require.NotEmpty(t, r.Says, r.Kind)
		found, ok := matrix.RowOf(r.Kind)
		require.True(t, ok)
		require.Equal(t, r, found)
	}
	has = append(has, rows...)
	for _, o := range matrix.Elsewhere() {
		require.NotEmpty(t, o.Why, o.Kind)
		has = append(has, o.Kind)
	}
	declared := declaredKinds(t)
	for _, kind := range declared {
		require.Contains(t, has, kind, "a kind of core/kinds.go has neither a row nor a line of its own")
	}
	require.Len(t, has, len(declared), "a kind has two rows, or one that is gone has one")
	require.ElementsMatch(t, core.RoomKinds(), rows)
	_, ok := matrix.RowOf(core.SessionOpened)
	require.False(t, ok)
}

// observed is what one protocol really shows of the samples of a kind.
type observed struct {
	frames, keys, lost map[string]bool
	// kept are the lost fields that some sample has and does not lose.
	kept map[string]bool
	// hidden tells that some sample is not shown.
	hidden bool
}

func observe(t *testing.T, s scripts.Script, kind core.Kind) observed {
	o := observed{frames: map[string]bool{}, keys: map[string]bool{}, lost: map[string]bool{}, kept: map[string]bool{}}
	all := samples.Of(kind)
	require.NotEmpty(t, all, "%s has no sample", kind)
	var has []map[string]bool
	var gone []map[string]bool
	for _, e := range all {
		frames, residue := said(t, s, e)
		if e.Hollow() {
			require.Empty(t, frames, "nothing is left to show")
			continue
		}
		if len(frames) == 0 {
			o.hidden = true
			continue
		}
		o.look(t, s, frames)
		if e.Erased {
			continue
		}
		lost := fields(t, residue)
		maps.Copy(o.lost, lost)
		has, gone = append(has, fieldsOf(t, e)), append(gone, lost)
	}
	for field := range o.lost {
		for i := range has {
			if has[i][field] && !gone[i][field] {
				o.kept[field] = true
			}
		}
	}
	return o
}

// said are the frames that show an event to somebody who knows nothing yet, and the residue.
func said(t *testing.T, s scripts.Script, e *core.Entry) (frames []byte, residue json.RawMessage) {
	o := scripts.Options{Self: samples.Ada, Agent: samples.Bob}
	enc, err := scripts.NewEncoder(s, o)
	require.NoError(t, err)
	frames, err = enc.Append(nil, e)
	require.NoError(t, err)
	o.Comments = true
	enc, err = scripts.NewEncoder(s, o)
	require.NoError(t, err)
	full, err := enc.Append(nil, e)
	require.NoError(t, err)
	comment, found := bytes.CutSuffix(full, frames)
	require.True(t, found)
	comment = bytes.TrimLeft(bytes.TrimSpace(comment), ":# ")
	if len(comment) == 0 {
		return frames, json.RawMessage("{}")
	}
	comment, found = bytes.CutPrefix(comment, []byte("stele "))
	require.True(t, found)
	return frames, comment
}

// fields are the names that a residue has, its own and those of the event.
func fields(t *testing.T, residue json.RawMessage) map[string]bool {
	var r map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(residue, &r))
	out := map[string]bool{}
	for key, v := range r {
		switch key {
		case "event":
			var event map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(v, &event))
			for key := range event {
				out[key] = true
			}
		case "absent":
			var names []string
			require.NoError(t, json.Unmarshal(v, &names))
			for _, key := range names {
				out[key] = true
			}
		default:
			out[key] = true
		}
	}
	return out
}

// fieldsOf are the names of what an event has, where it is not empty.
func fieldsOf(t *testing.T, e *core.Entry) map[string]bool {
	line, err := e.AppendPlain(nil)
	require.NoError(t, err)
	var top struct {
		Event map[string]json.RawMessage `json:"event"`
	}
	require.NoError(t, json.Unmarshal(line, &top))
	out := map[string]bool{"position": true, "version": true, "at": true, "room": true}
	for key, v := range top.Event {
		if text := string(v); text != `""` && text != "0" && text != "false" && text != `"0001-01-01T00:00:00Z"` {
			out[key] = true
		}
	}
	return out
}

func (o *observed) look(t *testing.T, s scripts.Script, frames []byte) {
	if s != scripts.Edge {
		ev, err := sse.NewReader(bytes.NewReader(frames), 0).Next()
		require.NoError(t, err)
		o.frames[typeOf(t, ev)] = true
		return
	}
	for line := range bytes.Lines(frames) {
		frame, err := edgeframes.ParseKnown(bytes.TrimSpace(line), superjson.Limits{})
		require.NoError(t, err)
		switch f := frame.(type) {
		case edgeframes.Messages:
			require.Len(t, f.Appended, 1)
			o.frames["messages.appended"] = true
		case edgeframes.State:
			require.NotNil(t, f.Patch)
			o.frames["state.patch"] = true
			for key := range f.Patch.All() {
				o.keys[key] = true
			}
		case edgeframes.EventFrame:
			if core.EmptyPayload(core.Kind(f.Type)) != nil {
				require.NotEqual(t, superjson.KindUndefined, superjson.KindOf(f.Payload), "%s says nothing", f.Type)
			}
			o.frames["event"] = true
		default:
			require.Fail(t, "no frame of an event", "%T", frame)
		}
	}
}

// typeOf is the type of an event of a stream: its name, and the same within the data.
func typeOf(t *testing.T, ev sse.Event) string {
	var data struct {
		Type string `json:"type"`
	}
	require.NoError(t, json.Unmarshal(ev.Data, &data))
	require.Equal(t, ev.Event, data.Type)
	return data.Type
}

func names(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// TestTheRowsSayWhatTheFrontsShow runs every sample of every kind through the fronts' own encoders.
func TestTheRowsSayWhatTheFrontsShow(t *testing.T) {
	for _, r := range matrix.Rows() {
		for _, c := range []struct {
			script scripts.Script
			cell   matrix.Cell
		}{{scripts.Switch, r.Switch}, {scripts.Areyouai, r.Areyouai}, {scripts.Edge, r.Edge}} {
			t.Run(string(r.Kind)+"/"+string(c.script), func(t *testing.T) { checkCell(t, c.script, r.Kind, c.cell) })
		}
	}
}

func checkCell(t *testing.T, s scripts.Script, kind core.Kind, cell matrix.Cell) {
	o := observe(t, s, kind)
	require.Equal(t, sorted(cell.Frames), names(o.frames), "the frames that are shown")
	require.Equal(t, o.hidden, cell.Not != "", "the row says when it is not shown, if it ever is not")
	keys := sorted(cell.Keys)
	if slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, " ") }) {
		for _, key := range names(o.keys) {
			require.NotContains(t, sharedWithRoom(), key)
		}
	} else {
		require.Equal(t, keys, names(o.keys), "the keys of the state that change")
	}
	var lost []string
	lost = append(append(lost, cell.Lost...), slices.Collect(maps.Keys(cell.Partly))...)
	require.Equal(t, sorted(lost), names(o.lost), "the fields that the frames do not carry")
	for field, why := range cell.Partly {
		require.NotEmpty(t, why)
		require.True(t, o.kept[field], "no sample keeps %s, so it is lost and not partly so", field)
	}
}

// sharedWithRoom are the keys of the state that the rows name, which no member writes.
func sharedWithRoom() []string {
	var out []string
	for _, r := range matrix.Rows() {
		for _, key := range r.Edge.Keys {
			if !strings.Contains(key, " ") {
				out = append(out, key)
			}
		}
	}
	return out
}
