package edgeframes_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestAnnotatedUndefinedCountsAsAbsent(t *testing.T) {
	tests := map[string]struct {
		text string
		want edgeframes.Frame
	}{
		"attach": {
			`{"json":{"v":2,"kind":"attach","token":null,"subscribe":["state"],"cursors":null},"meta":{"values":{"token":["undefined"],"cursors":["undefined"]},"v":1}}`,
			edgeframes.Attach{Subscribe: []edgeframes.Stream{edgeframes.StreamState}},
		},
		"subscribe": {
			`{"json":{"v":2,"kind":"attach","subscribe":null},"meta":{"values":{"subscribe":["undefined"]},"v":1}}`,
			edgeframes.Attach{},
		},
		"args": {
			`{"json":{"v":1,"kind":"call","id":"1","method":"m","args":null},"meta":{"values":{"args":["undefined"]},"v":1}}`,
			edgeframes.Call{ID: "1", Method: "m"},
		},
		"patch": {
			`{"json":{"v":1,"kind":"state","snapshot":{},"patch":null},"meta":{"values":{"patch":["undefined"]},"v":1}}`,
			edgeframes.State{Snapshot: superjson.NewObject()},
		},
		"error id": {
			`{"json":{"v":1,"kind":"error","id":null,"code":"protocol_error","message":"m"},"meta":{"values":{"id":["undefined"]},"v":1}}`,
			edgeframes.ConnectionError(edgeframes.CodeProtocolError, "m"),
		},
		"a result without a value": {
			`{"json":{"v":1,"kind":"result","id":"1"}}`,
			edgeframes.Result{ID: "1", Value: superjson.Undefined{}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := edgeframes.ParseKnown([]byte(tt.text), superjson.Limits{})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestParseIsLenientWhereTheProtocolIs(t *testing.T) {
	tests := map[string]struct {
		text string
		want edgeframes.Frame
	}{
		"unknown fields":     {`{"json":{"v":1,"kind":"ping","x":{"y":1}},"other":1}`, edgeframes.Ping{}},
		"whole floats":       {`{"json":{"v":1.0,"kind":"ping"}}`, edgeframes.Ping{}},
		"an empty call id":   {`{"json":{"v":1,"kind":"call","id":"","method":""}}`, edgeframes.Call{}},
		"unknown streams":    {`{"json":{"v":2,"kind":"attach","subscribe":["x"]}}`, edgeframes.Attach{Subscribe: []edgeframes.Stream{"x"}}},
		"an unknown code":    {`{"json":{"v":1,"kind":"error","id":"","code":"x","message":""}}`, edgeframes.CallError("", "x", "")},
		"error code 1 in v2": {`{"json":{"v":2,"kind":"error","code":"method_error","message":""}}`, edgeframes.ConnectionError(edgeframes.CodeMethodError, "")},
		"error code 2 in v1": {`{"json":{"v":1,"kind":"error","code":"unauthorized","message":""}}`, edgeframes.ConnectionError(edgeframes.CodeUnauthorized, "")},
		"useless cursors": {
			`{"json":{"v":2,"kind":"attach","cursors":{"events":"7","messages":-1,"state":1.5,"x":1}}}`,
			edgeframes.Attach{Cursors: map[edgeframes.Stream]uint64{}},
		},
		"cursors among useless ones": {
			`{"json":{"v":2,"kind":"attach","cursors":{"events":0,"messages":9007199254740992,"state":null}}}`,
			edgeframes.Attach{Cursors: map[edgeframes.Stream]uint64{edgeframes.StreamEvents: 0}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := edgeframes.ParseKnown([]byte(tt.text), superjson.Limits{})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestMalformedFrames(t *testing.T) {
	date := `,"meta":{"values":{"at":["Date"]},"v":1}}`
	tests := map[string]string{
		"not JSON":                    `{`,
		"no envelope":                 `{"v":1,"kind":"hello"}`,
		"a list":                      `{"json":[1]}`,
		"null":                        `null`,
		"a hostile path":              `{"json":{"v":1,"kind":"ping"},"meta":{"values":{"__proto__":["Date"]},"v":1}}`,
		"no v":                        `{"json":{"kind":"ping"}}`,
		"v as text":                   `{"json":{"v":"1","kind":"ping"}}`,
		"v with a fraction":           `{"json":{"v":1.5,"kind":"ping"}}`,
		"no kind":                     `{"json":{"v":1}}`,
		"a kind that is a number":     `{"json":{"v":1,"kind":1}}`,
		"an unknown kind":             `{"json":{"v":1,"kind":"bye"}}`,
		"call in version 2":           `{"json":{"v":2,"kind":"call","id":"1","method":"m"}}`,
		"attach in version 1":         `{"json":{"v":1,"kind":"attach"}}`,
		"event in version 1":          `{"json":{"v":1,"kind":"event","seq":1,"type":"t","payload":1,"at":"2026-01-02"}` + date,
		"call without id":             `{"json":{"v":1,"kind":"call","method":"m"}}`,
		"call with a number for id":   `{"json":{"v":1,"kind":"call","id":1,"method":"m"}}`,
		"state with neither":          `{"json":{"v":1,"kind":"state"}}`,
		"state with both":             `{"json":{"v":1,"kind":"state","snapshot":{},"patch":{}}}`,
		"a state that is a list":      `{"json":{"v":1,"kind":"state","snapshot":[]}}`,
		"a state that is null":        `{"json":{"v":1,"kind":"state","snapshot":null}}`,
		"a state that is a Map":       `{"json":{"v":1,"kind":"state","snapshot":[]},"meta":{"values":{"snapshot":["map"]},"v":1}}`,
		"messages with neither":       `{"json":{"v":1,"kind":"messages"}}`,
		"messages with both":          `{"json":{"v":1,"kind":"messages","snapshot":[],"appended":[]}}`,
		"a message that is text":      `{"json":{"v":1,"kind":"messages","snapshot":["hi"]}}`,
		"a message without a Date":    `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"","seq":1,"at":"2026-01-02T03:04:05.678Z"}]}}`,
		"a message without content":   `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","seq":1,"at":0}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`,
		"tool calls that are text":    `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"","toolCalls":"x","seq":1,"at":0}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`,
		"a tool call without id":      `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"","toolCalls":[{"name":"x"}],"seq":1,"at":0}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`,
		"result without id":           `{"json":{"v":1,"kind":"result","value":1}}`,
		"error without code":          `{"json":{"v":1,"kind":"error","message":""}}`,
		"error without message":       `{"json":{"v":1,"kind":"error","code":"x"}}`,
		"error with null for id":      `{"json":{"v":1,"kind":"error","id":null,"code":"x","message":""}}`,
		"a token that is a number":    `{"json":{"v":2,"kind":"attach","token":1}}`,
		"a token that is null":        `{"json":{"v":2,"kind":"attach","token":null}}`,
		"subscribe that is text":      `{"json":{"v":2,"kind":"attach","subscribe":"state"}}`,
		"subscribe to a number":       `{"json":{"v":2,"kind":"attach","subscribe":[1]}}`,
		"cursors that are a list":     `{"json":{"v":2,"kind":"attach","cursors":[1]}}`,
		"attached without grants":     `{"json":{"v":2,"kind":"attached","accepted":[]}}`,
		"attached with null":          `{"json":{"v":2,"kind":"attached","grants":[],"accepted":null}}`,
		"event without seq":           `{"json":{"v":2,"kind":"event","type":"t","payload":1,"at":0}` + date,
		"event with seq 0":            `{"json":{"v":2,"kind":"event","seq":0,"type":"t","payload":1,"at":0}` + date,
		"event with an unsafe seq":    `{"json":{"v":2,"kind":"event","seq":9007199254740992,"type":"t","payload":1,"at":0}` + date,
		"event without a Date":        `{"json":{"v":2,"kind":"event","seq":1,"type":"t","payload":1,"at":0}}`,
		"event with an invalid Date":  `{"json":{"v":2,"kind":"event","seq":1,"type":"t","payload":1,"at":"x"}` + date,
		"event with a number as type": `{"json":{"v":2,"kind":"event","seq":1,"type":2,"payload":1,"at":0}` + date,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			frame, err := edgeframes.ParseKnown([]byte(text), superjson.Limits{})
			require.Nil(t, frame)
			var parse *edgeframes.ParseError
			require.ErrorAs(t, err, &parse)
			require.Equal(t, edgeframes.CodeProtocolError, parse.Code)
			require.False(t, parse.ForCall)
			require.NotEmpty(t, parse.Frame().Message)
			if v, err := superjson.Parse([]byte(text), superjson.Limits{}); err == nil {
				require.False(t, edgeframes.IsKnownFrame(v))
			}
		})
	}
}

func TestAMalformedCallNamesTheCall(t *testing.T) {
	for _, text := range []string{
		`{"json":{"v":1,"kind":"call","id":"c9","method":"m","args":{"0":1}}}`,
		`{"json":{"v":1,"kind":"call","id":"c9","method":"m","args":null}}`,
		`{"json":{"v":1,"kind":"call","id":"c9"}}`,
	} {
		_, err := edgeframes.ParseKnown([]byte(text), superjson.Limits{})
		var parse *edgeframes.ParseError
		require.ErrorAs(t, err, &parse)
		require.Equal(t, edgeframes.CallError("c9", edgeframes.CodeProtocolError, parse.Detail), parse.Frame())
	}
}

func TestVersionsNotSpoken(t *testing.T) {
	for _, v := range []string{"0", "3", "9007199254740991"} {
		_, err := edgeframes.ParseKnown(fmt.Appendf(nil, `{"json":{"v":%s,"kind":"ping"}}`, v), superjson.Limits{})
		var parse *edgeframes.ParseError
		require.ErrorAs(t, err, &parse)
		require.Equal(t, edgeframes.CodeVersionMismatch, parse.Code)
	}
	for name, frame := range typed() {
		text, err := edgeframes.Encode(frame)
		require.NoError(t, err)
		value, err := superjson.Parse(text, superjson.Limits{})
		require.NoError(t, err)
		require.True(t, edgeframes.IsKnownFrame(value), name)
		require.Equal(t, frame.Version() == edgeframes.ProtocolV1, edgeframes.IsFrame(value), name)

		got, err := edgeframes.Parse(text, superjson.Limits{})
		if frame.Version() == edgeframes.ProtocolV1 {
			require.NoError(t, err)
			require.Equal(t, frame, got)
			continue
		}
		var parse *edgeframes.ParseError
		require.ErrorAs(t, err, &parse)
		require.Equal(t, edgeframes.CodeVersionMismatch, parse.Code)
	}
	require.False(t, edgeframes.IsKnownFrame(nil))
}

func FuzzParseKnown(f *testing.F) {
	for _, text := range golden(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		frame, err := edgeframes.ParseKnown(text, superjson.Limits{})
		if err != nil {
			var parse *edgeframes.ParseError
			require.ErrorAs(t, err, &parse)
			require.NotEmpty(t, parse.Frame().Message)
			return
		}
		text, err = edgeframes.Encode(frame)
		if err != nil {
			require.ErrorIs(t, err, superjson.ErrForbiddenKey)
			return
		}
		// The first pass may lose an invalid Date to null; from then on nothing moves.
		for range 2 {
			frame, err = edgeframes.ParseKnown(text, superjson.Limits{MaxBytes: 64 << 20})
			require.NoError(t, err, "%s", text)
			before := text
			text, err = edgeframes.Encode(frame)
			require.NoError(t, err)
			if !bytes.Contains(before, []byte("null")) {
				require.Equal(t, string(before), string(text))
			}
		}
		again, err := edgeframes.ParseKnown(text, superjson.Limits{MaxBytes: 64 << 20})
		require.NoError(t, err)
		last, err := edgeframes.Encode(again)
		require.NoError(t, err)
		require.Equal(t, string(text), string(last))
	})
}
