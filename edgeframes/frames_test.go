package edgeframes_test

import (
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

var noon = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

func object(pairs ...any) *superjson.Object {
	var members []superjson.Member
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, superjson.Member{Key: pairs[i].(string), Value: pairs[i+1].(superjson.Value)})
	}
	return superjson.NewObject(members...)
}

// typed holds the frames whose text stands under the same name in testdata/frames.txt.
func typed() map[string]edgeframes.Frame {
	str := func(s string) superjson.Value { return superjson.String(s) }
	all := edgeframes.Streams()
	return map[string]edgeframes.Frame{
		"call": edgeframes.Call{ID: "c1", Method: "humanReply", Args: []superjson.Value{str("On it")}},
		"call-rich": edgeframes.Call{ID: "c2", Method: "remind", Args: []superjson.Value{
			superjson.DateOf(noon),
			superjson.Undefined{},
			superjson.NewMap(superjson.Entry{Key: str("k"), Value: superjson.NewBigInt(big.NewInt(1))}),
		}},
		"ping":              edgeframes.Ping{},
		"pong":              edgeframes.Pong{},
		"hello":             edgeframes.Hello{},
		"state-snapshot":    edgeframes.State{Snapshot: object("status", str("open"), "since", superjson.DateOf(noon), "tags", superjson.NewSet(str("vip")))},
		"state-patch":       edgeframes.State{Patch: object("status", str("busy"), "assignee", superjson.Null{}, "note", superjson.Undefined{})},
		"messages-snapshot": edgeframes.Messages{Snapshot: []edgeframes.Message{{Role: edgeframes.RoleUser, Content: "hi", Seq: 1, At: noon}}},
		"messages-appended": edgeframes.Messages{Appended: []edgeframes.Message{{Role: edgeframes.RoleAssistant, Content: "hello", Seq: 2, At: noon}}},
		"messages-empty":    edgeframes.Messages{Snapshot: []edgeframes.Message{}},
		"messages-tools": edgeframes.Messages{Appended: []edgeframes.Message{
			{Role: edgeframes.RoleAssistant, ToolCalls: []edgeframes.ToolCall{{ID: "t1", Name: "search", Args: object("q", str("x"))}}, Seq: 3, At: noon},
			{Role: edgeframes.RoleTool, Content: "found", Name: "search", ToolCallID: "t1", Seq: 4, At: noon},
		}},
		"result":             edgeframes.Result{ID: "c1", Value: object("ok", superjson.Bool(true))},
		"result-void":        edgeframes.Result{ID: "c1", Value: superjson.Undefined{}},
		"error-call":         edgeframes.CallError("c1", edgeframes.CodeMethodError, "it broke"),
		"error-connection":   edgeframes.ConnectionError(edgeframes.CodeProtocolError, "malformed frame"),
		"error-unauthorized": edgeframes.CallError("c1", edgeframes.CodeUnauthorized, "this call needs the rpc claim"),
		"attach":             edgeframes.Attach{Token: "secret", Subscribe: all},
		"attach-bare":        edgeframes.Attach{},
		"attach-resume": edgeframes.Attach{Token: "secret", Subscribe: all, Cursors: map[edgeframes.Stream]uint64{
			edgeframes.StreamEvents: 41, edgeframes.StreamMessages: 12,
		}},
		"attached":         edgeframes.Attached{Grants: []string{edgeframes.ClaimRead, edgeframes.ClaimRPC}, Accepted: all},
		"attached-nothing": edgeframes.Attached{Grants: []string{}, Accepted: []edgeframes.Stream{}},
		"event":            edgeframes.EventFrame{Seq: 42, Type: "progress", Payload: object("pct", superjson.Int(50)), At: noon},
		"event-void":       edgeframes.EventFrame{Seq: 1, Type: "tick", Payload: superjson.Undefined{}, At: noon},
	}
}

func golden(t testing.TB) map[string]string {
	data, err := os.ReadFile("testdata/frames.txt")
	require.NoError(t, err)
	lines := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		require.True(t, ok, line)
		lines[name] = text
	}
	return lines
}

func TestTypedFramesPrintTheGoldenText(t *testing.T) {
	lines := golden(t)
	for name, frame := range typed() {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, lines, name)
			text, err := edgeframes.Encode(frame)
			require.NoError(t, err)
			require.Equal(t, lines[name], string(text))

			got, err := edgeframes.ParseKnown(text, superjson.Limits{})
			require.NoError(t, err)
			require.Equal(t, frame, got)
		})
	}
}

func TestGoldenTextSurvivesParsing(t *testing.T) {
	for name, line := range golden(t) {
		t.Run(name, func(t *testing.T) {
			frame, err := edgeframes.ParseKnown([]byte(line), superjson.Limits{})
			require.NoError(t, err)
			got, err := edgeframes.Append([]byte("> "), frame)
			require.NoError(t, err)
			require.Equal(t, "> "+line, string(got))
		})
	}
}

func TestNilValuesInFramesAreUndefined(t *testing.T) {
	lines := golden(t)
	for name, frame := range map[string]edgeframes.Frame{
		"result-void":      edgeframes.Result{ID: "c1"},
		"event-void":       edgeframes.EventFrame{Seq: 1, Type: "tick", At: noon.Add(999 * time.Microsecond).In(time.FixedZone("", 3600))},
		"attached-nothing": edgeframes.Attached{},
	} {
		text, err := edgeframes.Encode(frame)
		require.NoError(t, err)
		require.Equal(t, lines[name], string(text))
	}
}

func TestEncodeRefusesAFrameThatBreaksItsRules(t *testing.T) {
	snapshot, list := object(), []edgeframes.Message{}
	for _, frame := range []edgeframes.Frame{
		edgeframes.State{},
		edgeframes.State{Snapshot: snapshot, Patch: snapshot},
		edgeframes.Messages{},
		edgeframes.Messages{Snapshot: list, Appended: list},
		edgeframes.EventFrame{Type: "x"},
	} {
		dst := []byte("kept")
		got, err := edgeframes.Append(dst, frame)
		var incomplete *edgeframes.IncompleteError
		require.ErrorAs(t, err, &incomplete, "%#v", frame)
		require.Equal(t, "kept", string(got))
	}
	_, err := edgeframes.Encode(edgeframes.Result{ID: "1", Value: object("__proto__", superjson.Null{})})
	require.ErrorIs(t, err, superjson.ErrForbiddenKey)
}

func TestKindsAndVersions(t *testing.T) {
	client := map[edgeframes.Kind]bool{edgeframes.KindCall: true, edgeframes.KindPing: true, edgeframes.KindAttach: true}
	two := map[edgeframes.Kind]bool{edgeframes.KindAttach: true, edgeframes.KindAttached: true, edgeframes.KindEvent: true}
	for name, frame := range typed() {
		require.Equal(t, client[frame.Kind()], frame.Kind().FromClient(), name)
		want := edgeframes.ProtocolV1
		if two[frame.Kind()] || name == "error-unauthorized" {
			want = edgeframes.ProtocolV2
		}
		require.Equal(t, want, frame.Version(), name)
	}
}

func TestCloseCodes(t *testing.T) {
	for code, want := range map[edgeframes.CloseCode]edgeframes.Retry{
		edgeframes.CloseNormal: edgeframes.RetryNever, edgeframes.CloseGoingAway: edgeframes.RetryAtOnce,
		edgeframes.CloseProtocolError: edgeframes.RetryBackoff, edgeframes.CloseUnsupported: edgeframes.RetryBackoff,
		edgeframes.CloseAbnormal: edgeframes.RetryBackoff, edgeframes.CloseInvalidText: edgeframes.RetryBackoff,
		edgeframes.CloseRefused: edgeframes.RetryBackoff, edgeframes.CloseTooBig: edgeframes.RetryBackoff,
		edgeframes.CloseInternal: edgeframes.RetryBackoff, edgeframes.CloseTryLater: edgeframes.RetryBackoff,
	} {
		require.Equal(t, want, code.Retry(), code)
		require.NotEmpty(t, code.Text())
		// RFC 6455, section 5.5: the reason shares 125 bytes with the code.
		require.LessOrEqual(t, len(code.Text()), 123)
	}
	require.Empty(t, edgeframes.CloseCode(4000).Text())
}

func TestReservedMethods(t *testing.T) {
	for _, m := range []string{"constructor", "alarm", "fetch", "webSocket", "authorize", "onAttach", "onConnect", "_x", "_"} {
		require.True(t, edgeframes.ReservedMethod(m), m)
	}
	for _, m := range []string{"", "say", "Fetch", "x_"} {
		require.False(t, edgeframes.ReservedMethod(m), m)
	}
}
