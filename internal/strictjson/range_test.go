package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

type selfReader struct{ text string }

func (s *selfReader) UnmarshalJSON(b []byte) error { s.text = string(b); return nil }

// json-iterator cannot skip a number beyond the range of a double, so a document with one could be stored and never read again.
func TestNumbersBeyondTheRangeOfADouble(t *testing.T) {
	for _, s := range []string{
		"1e309", "0.1e50", "1E5", "1.5e+22", "-1e400", "1E+400", "0.1e400", "1e0000400", "1" + strings.Repeat("0", 309), strings.Repeat("9", 290) + "e99",
		"1.7976931348623157e308", "1e-400", "-0.0", "0e999", strings.Repeat("9", 300), "1e00000000300",
	} {
		var v struct {
			A json.RawMessage
			B *selfReader
			C []selfReader
			D string
		}
		text := `{"x\\":[` + s + `,"\ud83d\ude00",{"":null,"y":[true,[],{}]}]}`
		require.NoError(t, strictjson.Unmarshal([]byte(`{"A":`+text+`,"B":`+text+`, "C":[`+s+`,`+text+`],"D":"d"}`), &v), s)
		require.True(t, json.Valid(v.A))
		require.Contains(t, string(v.A), s)
		require.Equal(t, string(v.A), v.B.text)
		require.Equal(t, []selfReader{{s}, {string(v.A)}}, v.C)
		require.Equal(t, "d", v.D)
	}
}
