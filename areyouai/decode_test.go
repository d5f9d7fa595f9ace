package areyouai_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// decodeCase is a body and either what it decodes to or the code and a word
// of the hint it is refused with.
type decodeCase struct {
	name, body string
	want       any
	code       areyouai.Code
	hint       string
}

func runDecode[T any](t *testing.T, decode func([]byte) (T, error), cases []decodeCase) {
	t.Helper()
	shared := []decodeCase{
		{name: "empty", body: "", code: areyouai.CodeInvalidRequest, hint: "JSON object"},
		{name: "blank", body: " \r\n", code: areyouai.CodeInvalidRequest, hint: "JSON object"},
		{name: "null", body: "null", code: areyouai.CodeInvalidRequest, hint: "JSON object"},
		{name: "array", body: "[]", code: areyouai.CodeInvalidRequest, hint: "JSON object"},
		{name: "cut", body: `{"a":`, code: areyouai.CodeInvalidRequest, hint: "not valid JSON"},
		{name: "trailing data", body: `{} {}`, code: areyouai.CodeInvalidRequest, hint: "not valid JSON"},
		{name: "not UTF-8", body: "{\"a\":\"\xff\"}", code: areyouai.CodeInvalidRequest, hint: "UTF-8"},
		{name: "too deep", body: `{"a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`, code: areyouai.CodeInvalidRequest, hint: "deep"},
		{name: "too large", body: `{"a":"` + strings.Repeat("x", areyouai.MaxBodyBytes) + `"}`, code: areyouai.CodePayloadTooLarge, hint: "8192"},
	}
	for _, c := range append(shared, cases...) {
		t.Run(c.name, func(t *testing.T) {
			got, err := decode([]byte(c.body))
			if c.code == "" {
				require.NoError(t, err)
				require.Equal(t, c.want, got)
				return
			}
			require.ErrorIs(t, err, c.code)
			require.Contains(t, areyouai.AsError(err).Hint, c.hint)
			var zero T
			require.Equal(t, zero, got)
		})
	}
}

// oneLine makes cases of what nothing that is shown in one line may contain, and
// of what it may. The %s in body stands for the text as JSON has it.
func oneLine(body string, want func(text string) any) (cases []decodeCase) {
	for _, char := range []string{`\u0000`, `\u0007`, `\n`, `\r`, `\t`, `\u001b`, "\x7f", "\u0085", `\u009b`, "\u2028", `\u2029`} {
		cases = append(cases, decodeCase{
			name: strconv.Quote(char), body: fmt.Sprintf(body, "a"+char+"b"),
			code: areyouai.CodeInvalidRequest, hint: "must not contain line breaks or other control characters",
		})
	}
	for _, text := range []string{"a b", "Ada Lovelace é 😀", "a\u00a0\u200db"} {
		cases = append(cases, decodeCase{name: strconv.Quote(text), body: fmt.Sprintf(body, text), want: want(text)})
	}
	return cases
}

func TestNamesTopicsAndTagsAreOneLine(t *testing.T) {
	listing := func(topic string, tags ...string) any {
		return areyouai.ListingRequest{Topic: topic, Tags: tags, MaxTurns: 20, TTLSeconds: 900}
	}
	t.Run("name", func(t *testing.T) {
		runDecode(t, areyouai.DecodeRegister, oneLine(`{"name":"%s"}`, func(s string) any { return areyouai.RegisterRequest{Name: s} }))
	})
	t.Run("topic", func(t *testing.T) {
		runDecode(t, areyouai.DecodeListing, oneLine(`{"topic":"%s","tags":["x"]}`, func(s string) any { return listing(s, "x") }))
	})
	t.Run("tag", func(t *testing.T) {
		runDecode(t, areyouai.DecodeListing, oneLine(`{"topic":"t","tags":["x","%s"]}`, func(s string) any { return listing("t", "x", s) }))
	})
}

// TestUnknownFieldsAreIgnoredWhateverTheyHold: also numbers that no decoder
// reads, wherever they stand; the same number in a known field is refused, and
// digits in strings are left alone.
func TestUnknownFieldsAreIgnoredWhateverTheyHold(t *testing.T) {
	row := strings.Repeat("7", 5000)
	digits := strings.Repeat("1", 5000) + `\"` + strings.Repeat("2", 5000) + `\\`
	text := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(digits)
	for name, value := range map[string]string{
		"beyond float": "1e99999", "tiny": "-0.1e-99999", "integer": row, "negative": "-" + row, "fraction": "0." + row,
		"exponent": "1e" + row, "all": "-" + row + "." + row + "E+" + row, "nested": `{"a":[1,` + row + `,{"b":1e99999}]}`,
		"string": `"` + digits + `"`, "field name": `{"` + row + `":` + row + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := areyouai.SendRequest{ExpectedTurn: 7, Ciphertext: text, BundleHash: "ab"}
			known := `"expected_turn":7,"ciphertext":"` + digits + `","bundle_hash":"ab"`
			for _, body := range []string{`{"x":` + value + `,` + known + `}`, `{` + known + `,"Expected_Turn":` + value + `}`} {
				got, err := areyouai.DecodeSend([]byte(body))
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for _, body := range []string{
				`{` + known + `,"x":` + value + `.}`, `{` + known + `,"x":` + value, `{` + known + `,"x":0` + value + `}`,
				`{` + known + `,"x":"` + value + `}`,
			} {
				_, err := areyouai.DecodeSend([]byte(body))
				require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
			}
			_, err := areyouai.DecodeSend([]byte(`{"ciphertext":"hi","bundle_hash":"ab","expected_turn":` + value + `}`))
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
			require.Contains(t, areyouai.AsError(err).Hint, "expected_turn")
		})
	}
}

func TestDecodeRegister(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	runDecode(t, areyouai.DecodeRegister, []decodeCase{
		{name: "trims", body: `{"name":"\t Ada \n","colour":"blue"}`, want: areyouai.RegisterRequest{Name: "Ada"}},
		{name: "longest", body: `{"name":"` + strings.Repeat("é", 256) + `"}`, want: areyouai.RegisterRequest{Name: strings.Repeat("é", 256)}},
		{name: "too long", body: `{"name":"` + strings.Repeat("é", 257) + `"}`, code: bad, hint: "256"},
		{name: "absent", body: `{}`, code: bad, hint: "name"},
		{name: "blank after trim", body: `{"name":" \u00a0 "}`, code: bad, hint: "name"},
		{name: "wrong type", body: `{"name":7}`, code: bad, hint: "name must be of type string"},
	})
}

func TestDecodeLogin(t *testing.T) {
	runDecode(t, areyouai.DecodeLogin, []decodeCase{
		{name: "trims", body: `{"api_key":" ak_x "}`, want: areyouai.LoginRequest{APIKey: "ak_x"}},
		{name: "blank", body: `{"api_key":""}`, code: areyouai.CodeInvalidRequest, hint: "api_key"},
		{name: "never a key", body: `{"api_key":"` + strings.Repeat("k", 513) + `"}`, code: areyouai.CodeUnauthorized, hint: "Log in"},
	})
}

func TestDecodeListing(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	type l = areyouai.ListingRequest
	none := []string{}
	runDecode(t, areyouai.DecodeListing, []decodeCase{
		{name: "defaults", body: `{"topic":" tea "}`, want: l{Topic: "tea", Tags: none, MaxTurns: 20, TTLSeconds: 900}},
		{name: "null means absent", body: `{"topic":"tea","tags":null,"max_turns":null,"ttl_seconds":null}`, want: l{"tea", none, 20, 900}},
		{name: "zero and below", body: `{"topic":"tea","max_turns":0,"ttl_seconds":-5}`, want: l{"tea", none, 20, 900}},
		{name: "given", body: `{"topic":"tea","tags":[" A ","b"],"max_turns":1,"ttl_seconds":300}`, want: l{"tea", []string{" A ", "b"}, 1, 300}},
		{name: "bounds", body: `{"topic":"tea","max_turns":2147483647,"ttl_seconds":3153600000}`, want: l{"tea", none, 2147483647, 3153600000}},
		{name: "turns overflow", body: `{"topic":"tea","max_turns":2147483648}`, code: bad, hint: "max_turns"},
		{name: "ttl overflow", body: `{"topic":"tea","ttl_seconds":3153600001}`, code: bad, hint: "ttl_seconds"},
		{name: "ttl beyond int64", body: `{"topic":"tea","ttl_seconds":9223372036854775808}`, code: bad, hint: "ttl_seconds"},
		{name: "fraction", body: `{"topic":"tea","max_turns":1.5}`, code: bad, hint: "max_turns"},
		{name: "topic blank", body: `{"topic":"  "}`, code: bad, hint: "topic"},
		{name: "topic too long", body: `{"topic":"` + strings.Repeat("x", 1025) + `"}`, code: bad, hint: "1024"},
		{name: "too many tags", body: `{"topic":"t","tags":[""` + strings.Repeat(`,""`, 64) + `]}`, code: bad, hint: "64"},
		{name: "tag too long", body: `{"topic":"t","tags":["` + strings.Repeat("x", 129) + `"]}`, code: bad, hint: "128"},
		{name: "tag a number", body: `{"topic":"t","tags":["a",5]}`, code: bad, hint: "each tag must be a string"},
		{name: "tag a list", body: `{"topic":"t","tags":[["a"]]}`, code: bad, hint: "each tag must be a string"},
		{name: "tag null", body: `{"topic":"t","tags":[null]}`, code: bad, hint: "each tag must be a string"},
		{name: "tag beyond float", body: `{"topic":"t","tags":[1e99999]}`, code: bad, hint: "each tag must be a string"},
		{name: "tags a string", body: `{"topic":"t","tags":"a"}`, code: bad, hint: "array of strings"},
		{name: "other fields keep their hint", body: `{"topic":5,"tags":[]}`, code: bad, hint: "topic must be of type string"},
	})
}

func TestDecodeSend(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	type s = areyouai.SendRequest
	runDecode(t, areyouai.DecodeSend, []decodeCase{
		{name: "trims", body: `{"expected_turn":0,"ciphertext":"\n hi \t","bundle_hash":" AB "}`, want: s{0, "hi", "AB"}},
		{name: "turn absent", body: `{"ciphertext":"hi","bundle_hash":"ab"}`, code: bad, hint: "expected_turn"},
		{name: "turn null", body: `{"expected_turn":null,"ciphertext":"hi","bundle_hash":"ab"}`, code: bad, hint: "expected_turn"},
		{name: "turn as text", body: `{"expected_turn":"0","ciphertext":"hi","bundle_hash":"ab"}`, code: bad, hint: "expected_turn"},
		{name: "text blank", body: `{"expected_turn":0,"ciphertext":" \n ","bundle_hash":"ab"}`, code: bad, hint: "ciphertext"},
		{name: "hash blank", body: `{"expected_turn":0,"ciphertext":"hi","bundle_hash":""}`, code: bad, hint: "bundle_hash"},
		{name: "wrong turn is the room's business", body: `{"expected_turn":-1,"ciphertext":"hi","bundle_hash":"ab"}`, want: s{-1, "hi", "ab"}},
		{name: "long number", body: `{"expected_turn":` + strings.Repeat("9", 5000) + `,"ciphertext":"hi","bundle_hash":"ab"}`, code: bad, hint: "expected_turn must be of type integer"},
	})
}

// TestMessageSize counts code points: the largest legal message, written as
// escape pairs, is well above 8192 bytes and below the body limit.
func TestMessageSize(t *testing.T) {
	body := func(n int, char string) []byte {
		return []byte(`{"expected_turn":3,"bundle_hash":"ab","ciphertext":"  ` + strings.Repeat(char, n) + `  "}`)
	}
	for name, char := range map[string]string{"ASCII": "x", "two bytes": "é", "astral": "😀", "astral escaped": `\ud83d\ude00`} {
		t.Run(name, func(t *testing.T) {
			largest, err := areyouai.DecodeSend(body(8192, char))
			require.NoError(t, err)
			require.Equal(t, 8192, largest.Chars())
			require.NoError(t, largest.CheckSize())

			over, err := areyouai.DecodeSend(body(8193, char))
			require.NoError(t, err)
			require.ErrorIs(t, over.CheckSize(), areyouai.CodePayloadTooLarge)
		})
	}
}

func TestHashMatches(t *testing.T) {
	req := areyouai.SendRequest{BundleHash: "ABcd09"}
	require.True(t, req.HashMatches("abcd09"))
	require.False(t, req.HashMatches("abcd0"))
}

func TestDecodeContextAck(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	runDecode(t, areyouai.DecodeContextAck, []decodeCase{
		{name: "zero", body: `{"turn_index":0}`, want: areyouai.ContextAckRequest{}},
		{name: "large", body: `{"turn_index":999}`, want: areyouai.ContextAckRequest{TurnIndex: 999}},
		{name: "absent", body: `{}`, code: bad, hint: "turn_index"},
		{name: "negative", body: `{"turn_index":-1}`, code: bad, hint: "turn_index"},
	})
}

func TestDecodeTransition(t *testing.T) {
	runDecode(t, areyouai.DecodeTransition, []decodeCase{
		{name: "pair", body: `{"current":" OPEN","next":"ACTIVE"}`, want: areyouai.TransitionRequest{Current: "OPEN", Next: "ACTIVE"}},
		{name: "wrong type", body: `{"current":1}`, code: areyouai.CodeInvalidRequest, hint: "current"},
	})
}

func TestReadBody(t *testing.T) {
	full := strings.Repeat("x", areyouai.MaxBodyBytes)
	got, err := areyouai.ReadBody(strings.NewReader(full))
	require.NoError(t, err)
	require.Len(t, got, areyouai.MaxBodyBytes)

	_, err = areyouai.ReadBody(strings.NewReader(full + "x"))
	require.ErrorIs(t, err, areyouai.CodePayloadTooLarge)

	broken := errors.New("reset")
	_, err = areyouai.ReadBody(iotest.ErrReader(broken))
	require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
	require.ErrorIs(t, err, broken)

	for _, body := range []string{"", "{}", "  ", "{", `{"x":1}`} {
		require.NoError(t, areyouai.DrainBody(strings.NewReader(body)))
	}
	require.Error(t, areyouai.DrainBody(strings.NewReader(full+"x")))
}
