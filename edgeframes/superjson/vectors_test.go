package superjson_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

// roomy lets every vector in.
var roomy = superjson.Limits{MaxBytes: 16 << 20}

type vector struct {
	Name      string          `json:"name"`
	Value     json.RawMessage `json:"value"`
	Text      string          `json:"text"`
	Setup     string          `json:"setup"`
	Identity  bool            `json:"identity"`
	Roundtrip bool            `json:"roundtrip"`
	Lossy     bool            `json:"lossy"`
	OK        bool            `json:"ok"`
}

// codecFor has the settings under which the library printed a vector.
func codecFor(v vector) superjson.Codec {
	codec := superjson.Codec{Limits: roomy, Cycles: true, Dedupe: strings.HasPrefix(v.Name, "dedupe/")}
	switch v.Name {
	case "error/allowed-props":
		codec.ErrorProps = []string{"code", "when"}
	case "error/allowed-prop-missing":
		codec.ErrorProps = []string{"code"}
	case "class/registered", "class/registered-with-date", "symbol/registered", "custom/decimal":
		codec.Types = superjson.NewTypes().Class("P").Class("Point").Symbol("my-tag", "tag").Custom("decimal")
	}
	return codec
}

// The neutral form cannot say that two places hold one object, so such vectors are
// compared up to that; TestSharedVectorsArePrinted builds them with their identity.
func TestVectorsArePrintedByteForByte(t *testing.T) {
	for _, v := range vectors(t, "superjson.jsonl") {
		if v.Value == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			got, err := codecFor(v).Append(nil, neutral(t, v.Value))
			require.NoError(t, err)
			want, have := v.Text, string(got)
			if v.Identity {
				want, have = withoutIdentity(t, want), withoutIdentity(t, have)
			}
			require.Equal(t, want, have)
		})
	}
}

func TestVectorsComeBack(t *testing.T) {
	for _, v := range vectors(t, "superjson.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			codec := codecFor(v)
			got, err := codec.Parse([]byte(v.Text))
			require.NoError(t, err)
			again, err := codec.Append(nil, got)
			require.NoError(t, err)
			require.Equal(t, v.Text, string(again))
			if v.Value != nil && !v.Lossy {
				require.True(t, superjson.Equal(neutral(t, v.Value), got), "%v", got)
			}
		})
	}
}

// What the default codec refuses: circles, and names that nobody registered.
func TestVectorsThatNeedSettings(t *testing.T) {
	wants := map[string]error{
		"refs/self-root": superjson.ErrCycle, "refs/self-nested": superjson.ErrCycle, "refs/root-and-others": superjson.ErrCycle,
		"class/registered": superjson.ErrUnknownType, "class/registered-with-date": superjson.ErrUnknownType,
		"symbol/registered": superjson.ErrUnknownType, "custom/decimal": superjson.ErrUnknownType,
	}
	for _, v := range vectors(t, "superjson.jsonl") {
		_, err := superjson.Parse([]byte(v.Text), roomy)
		require.ErrorIs(t, err, wants[v.Name], v.Name)
		delete(wants, v.Name)
	}
	require.Empty(t, wants)
}

func TestDedupedTextIsReadWhole(t *testing.T) {
	wants := map[string]string{
		"dedupe/second-becomes-null": `{"a":{"k":1},"b":{"k":1}}`,
		"dedupe/order-kept":          `{"deep":{"er":{"k":1}},"y":{"k":1}}`,
	}
	for _, v := range vectors(t, "superjson.jsonl") {
		if want := wants[v.Name]; want != "" {
			got, err := superjson.Parse([]byte(v.Text), roomy)
			require.NoError(t, err)
			require.Equal(t, want, string(superjson.AppendJSON(nil, got)), v.Name)
			delete(wants, v.Name)
		}
	}
	require.Empty(t, wants)
}

func TestDecodeVectors(t *testing.T) {
	for _, v := range vectors(t, "superjson_decode.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			got, err := superjson.Codec{Cycles: true}.Parse([]byte(v.Text))
			if !v.OK {
				var decode *superjson.DecodeError
				require.ErrorAs(t, err, &decode)
				return
			}
			require.NoError(t, err)
			want := neutral(t, v.Value)
			require.Equal(t, withoutIdentity(t, printed(t, want)), withoutIdentity(t, printed(t, got)))
			require.True(t, superjson.Equal(want, got))
		})
	}
}

func vectors(t testing.TB, file string) []vector {
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var all []vector
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		all = append(all, v)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

func neutral(t testing.TB, raw json.RawMessage) superjson.Value {
	v, err := superjson.ParseJSON(raw, roomy)
	require.NoError(t, err)
	return fromNeutral(t, v)
}

// withoutIdentity is a text less the one key that needs to know which objects are the
// same.
func withoutIdentity(t testing.TB, text string) string {
	v, err := superjson.ParseJSON([]byte(text), roomy)
	require.NoError(t, err)
	json, _ := v.(*superjson.Object).Get("json")
	meta, _ := v.(*superjson.Object).Get("meta")
	out := append([]byte(`{"json":`), superjson.AppendJSON(nil, json)...)
	if meta, ok := meta.(*superjson.Object); ok {
		if values, ok := meta.Get("values"); ok {
			out = append(out, `,"meta":{"values":`...)
			out = append(superjson.AppendJSON(out, values), `,"v":1}`...)
		}
	}
	return string(append(out, '}'))
}

func printed(t testing.TB, v superjson.Value) string {
	text, err := superjson.Append(nil, v)
	require.NoError(t, err)
	return string(text)
}

func reprint(t testing.TB, text string) string {
	v, err := superjson.Parse([]byte(text), superjson.Limits{})
	require.NoError(t, err)
	return printed(t, v)
}
