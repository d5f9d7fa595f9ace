package conformance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// examples are frames as the protocol's description shows them.
func examples() []string {
	const at = `"2026-01-02T03:04:05.678Z"`
	return []string{
		`{"json":{"v":1,"kind":"call","id":"c1","method":"humanReply","args":["On it"]}}`,
		`{"json":{"v":1,"kind":"call","id":"c2","method":"remind","args":[` + at + `,null,[["k","1"]]]},"meta":{"values":{"args.0":["Date"],"args.1":["undefined"],"args.2":["map",{"0.1":["bigint"]}]},"v":1}}`,
		pingText, helloText, pongText,
		`{"json":{"v":1,"kind":"state","snapshot":{"status":"open","since":` + at + `,"tags":["vip"]}},"meta":{"values":{"snapshot.since":["Date"],"snapshot.tags":["set"]},"v":1}}`,
		`{"json":{"v":1,"kind":"state","patch":{"status":"busy","assignee":null,"note":null}},"meta":{"values":{"patch.note":["undefined"]},"v":1}}`,
		`{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"hi","seq":1,"at":` + at + `}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"messages","appended":[{"role":"assistant","content":"hello","seq":2,"at":` + at + `}]},"meta":{"values":{"appended.0.at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"result","id":"c1","value":{"ok":true}}}`,
		`{"json":{"v":1,"kind":"result","id":"c1","value":null},"meta":{"values":{"value":["undefined"]},"v":1}}`,
		`{"json":{"v":1,"kind":"error","id":"c1","code":"method_error","message":"it broke"}}`,
		`{"json":{"v":1,"kind":"error","code":"protocol_error","message":"malformed frame"}}`,
		`{"json":{"v":2,"kind":"attach","token":"secret","subscribe":["state","messages","events"]}}`,
		`{"json":{"v":2,"kind":"attach","token":"secret","subscribe":["state","messages","events"],"cursors":{"messages":12,"events":41}}}`,
		`{"json":{"v":2,"kind":"attached","grants":["read","rpc"],"accepted":["state","messages","events"]}}`,
		`{"json":{"v":2,"kind":"event","seq":42,"type":"progress","payload":{"pct":50},"at":` + at + `},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"v":2,"kind":"error","id":"c1","code":"unauthorized","message":"this call needs the rpc claim"}}`,
	}
}

func TestLibraryFrames(t *testing.T) {
	t.Parallel()
	shows(t, "4.5-encode", "4.5-parse", "4.5-is")
	for _, example := range examples() {
		f, err := edgeframes.ParseKnown([]byte(example), superjson.Limits{})
		require.NoError(t, err, example)
		printed, err := edgeframes.Encode(f)
		require.NoError(t, err)
		require.Equal(t, example, string(printed))
		_, err = edgeframes.Parse([]byte(example), superjson.Limits{})
		first := strings.HasPrefix(example, `{"json":{"v":1,`)
		require.Equal(t, first, err == nil, example)
		v, err := superjson.Parse([]byte(example), superjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, []bool{first, true}, []bool{edgeframes.IsFrame(v), edgeframes.IsKnownFrame(v)})
	}
	none := []superjson.Value{nil, superjson.Null{}, superjson.Undefined{}, superjson.String("ping"), superjson.Array{}, superjson.NewObject(), superjson.NewMap()}
	for _, v := range none {
		require.Equal(t, []bool{false, false}, []bool{edgeframes.IsFrame(v), edgeframes.IsKnownFrame(v)})
	}
}

func TestLibraryMalformed(t *testing.T) {
	t.Parallel()
	shows(t, "4.5-malformed")
	for _, bad := range []string{
		``, `{`, `{"v":1,"kind":"ping"}`, `{"json":5}`, `{"json":{}}`, `{"json":{"v":3,"kind":"ping"}}`, `{"json":{"v":2,"kind":"ping"}}`,
		`{"json":{"v":1,"kind":"shout"}}`, `{"json":{"v":1,"kind":"call","id":"1"}}`, `{"json":{"v":1,"kind":"call","id":1,"method":"x"}}`,
		`{"json":{"v":1,"kind":"state"}}`, `{"json":{"v":1,"kind":"state","patch":{},"snapshot":{}}}`, `{"json":{"v":1,"kind":"state","patch":[]}}`,
		`{"json":{"v":1,"kind":"messages"}}`, `{"json":{"v":1,"kind":"messages","snapshot":{}}}`, `{"json":{"v":1,"kind":"result","value":1}}`,
		`{"json":{"v":1,"kind":"error","message":"x"}}`, `{"json":{"v":2,"kind":"attached","accepted":[]}}`,
		`{"json":{"v":2,"kind":"event","seq":0,"type":"x","payload":1,"at":"2026-01-02T03:04:05.678Z"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"v":2,"kind":"event","seq":1,"type":"x","payload":1,"at":"2026-01-02T03:04:05.678Z"}}`,
	} {
		_, err := edgeframes.ParseKnown([]byte(bad), superjson.Limits{})
		var parse *edgeframes.ParseError
		require.ErrorAs(t, err, &parse, bad)
	}
}

// TestLibraryMerge applies what a watcher gets and compares it with what a later client gets.
func TestLibraryMerge(t *testing.T) {
	t.Parallel()
	shows(t, "11-library", "11-missing", "11-objects")
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		{`{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{`{"a":1}`, `{"a":{"b":null}}`, `{"a":{}}`},
		{`{}`, `{"a":{"b":{"c":null,"d":1}}}`, `{"a":{"b":{"d":1}}}`},
		{`[1]`, `{"a":1}`, `{"a":1}`},
		{`{"a":{"b":1}}`, `{"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`},
	} {
		values := [3]superjson.Value{}
		for i, x := range c {
			v, err := superjson.ParseJSON([]byte(x), superjson.Limits{})
			require.NoError(t, err)
			values[i] = v
		}
		require.Equal(t, c[2], string(superjson.AppendJSON(nil, edgeframes.ApplyMergePatch(values[0], values[1]))))
	}
	r := shared(t).room(t)
	watcher, boot := r.s.attach(t, r.at, r.b.key, `,"subscribe":["state"]`)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
	for i, args := range []string{
		`[{"a":{"b":1,"c":[1,{"d":null}]}}]`, `[{"a":{"b":null,"e":{"f":null,"g":1}}}]`, `[{"a":5}]`, `[{"a":{"x":null}}]`, `[{"done":true}]`,
	} {
		l.call(fmt.Sprint(i), "setRoomState", `,"args":`+args)
	}
	state := stateOf(t, boot[1]).Snapshot
	for _, x := range watcher.until(`"done"`) {
		state = edgeframes.MergeObject(state, stateOf(t, x).Patch)
	}
	_, late := r.s.attach(t, r.at, r.b.key, `,"subscribe":["state"]`)
	// How present somebody is may have changed meanwhile.
	timeless := func(state *superjson.Object) string {
		return presence.ReplaceAllString(string(superjson.AppendJSON(nil, state)), `"presence":""`)
	}
	require.JSONEq(t, timeless(stateOf(t, late[1]).Snapshot), timeless(state))
}

var presence = regexp.MustCompile(`"presence":"[a-z_]+"`)

func stateOf(t *testing.T, x string) edgeframes.State {
	t.Helper()
	f, err := edgeframes.ParseKnown([]byte(x), superjson.Limits{})
	require.NoError(t, err)
	state, ok := f.(edgeframes.State)
	require.True(t, ok, x)
	return state
}
