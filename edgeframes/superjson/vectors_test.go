package superjson_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
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

// Why a vector is not simply printed and read back. The test fails on a name that no
// file has, and on a vector of this list that would pass after all.
var (
	cycles = []string{
		"refs/self-root", "refs/self-nested", "refs/root-and-others", // a tree holds no circle: refused
	}
	registered = []string{
		"class/registered", "class/registered-with-date", "symbol/registered", "custom/decimal",
	}
	deduped = []string{
		"dedupe/second-becomes-null", "dedupe/order-kept", // read whole, printed without dedupe
	}
	errorProps = map[string][]string{
		"error/allowed-props":        {"code", "when"},
		"error/allowed-prop-missing": {"code"},
	}
	decodeCycles = []string{"refs-root-cycle"}
)

func TestVectorsArePrintedByteForByte(t *testing.T) {
	for _, v := range vectors(t, "superjson.jsonl") {
		if v.Value == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			got, err := superjson.Append(nil, neutral(t, v.Value))
			require.NoError(t, err)
			require.Equal(t, withoutIdentity(t, v), string(got))
		})
	}
}

func TestVectorsComeBack(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range vectors(t, "superjson.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			seen[v.Name] = true
			codec := superjson.Codec{Limits: roomy, ErrorProps: errorProps[v.Name]}
			got, err := codec.Parse([]byte(v.Text))
			if slices.Contains(cycles, v.Name) {
				require.ErrorIs(t, err, superjson.ErrCycle)
				return
			}
			if slices.Contains(registered, v.Name) {
				require.ErrorIs(t, err, superjson.ErrUnknownType)
				return
			}
			require.NoError(t, err)
			if slices.Contains(deduped, v.Name) {
				return
			}
			again, err := codec.Append(nil, got)
			require.NoError(t, err)
			require.Equal(t, withoutIdentity(t, v), string(again))
			if v.Value != nil && !v.Lossy {
				require.True(t, superjson.Equal(neutral(t, v.Value), got), "%v", got)
			}
		})
	}
	for _, name := range slices.Concat(cycles, registered, deduped) {
		require.True(t, seen[name], "no vector %s", name)
	}
}

func TestDedupedTextIsReadWhole(t *testing.T) {
	wants := map[string]string{
		"dedupe/second-becomes-null": `{"json":{"a":{"k":1},"b":{"k":1}}}`,
		"dedupe/order-kept":          `{"json":{"deep":{"er":{"k":1}},"y":{"k":1}}}`,
	}
	for _, v := range vectors(t, "superjson.jsonl") {
		if want := wants[v.Name]; want != "" {
			require.Equal(t, want, reprint(t, v.Text), v.Name)
			delete(wants, v.Name)
		}
	}
	require.Empty(t, wants)
}

func TestDecodeVectors(t *testing.T) {
	for _, v := range vectors(t, "superjson_decode.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			got, err := superjson.Parse([]byte(v.Text), superjson.Limits{})
			if slices.Contains(decodeCycles, v.Name) {
				require.ErrorIs(t, err, superjson.ErrCycle)
				return
			}
			if !v.OK {
				var decode *superjson.DecodeError
				require.ErrorAs(t, err, &decode)
				return
			}
			require.NoError(t, err)
			require.Equal(t, printed(t, neutral(t, v.Value)), printed(t, got))
			require.True(t, superjson.Equal(neutral(t, v.Value), got))
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

// withoutIdentity is the text the library prints, less the one key that needs to know
// which objects are the same.
func withoutIdentity(t testing.TB, v vector) string {
	if !v.Identity {
		return v.Text
	}
	text, err := superjson.ParseJSON([]byte(v.Text), roomy)
	require.NoError(t, err)
	json, _ := text.(*superjson.Object).Get("json")
	meta, _ := text.(*superjson.Object).Get("meta")
	out := append([]byte(`{"json":`), superjson.AppendJSON(nil, json)...)
	if values, ok := meta.(*superjson.Object).Get("values"); ok {
		out = append(out, `,"meta":{"values":`...)
		out = append(superjson.AppendJSON(out, values), `,"v":1}`...)
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
