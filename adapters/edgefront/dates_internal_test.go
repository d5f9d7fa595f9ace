package edgefront

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

// Declared times of results are dates, however deep they lie; what members wrote, and what is no time, is not.
func TestDatesOfResults(t *testing.T) {
	type inner struct {
		SeenAt *string `json:"seen_at"`
	}
	type result struct {
		inner
		CreatedAt string            `json:"created_at"`
		OtherAt   string            `json:"other_at"`
		EmptyAt   string            `json:"empty_at"`
		At        *string           `json:"at"`
		Name      string            `json:"name"`
		List      []inner           `json:"list"`
		ByName    map[string]*inner `json:"by_name"`
		Any       any               `json:"any"`
		Texts     map[string]string `json:"texts"`
		Raw       json.RawMessage   `json:"raw"`
	}
	const spaced, iso = "2026-01-02 03:04:05.678901+00:00", "2026-01-02T03:04:05.678901+00:00"
	seen := iso
	value, err := valueOf(&result{
		inner: inner{&seen}, CreatedAt: spaced, OtherAt: "noon", At: &seen, Name: iso, List: []inner{{&seen}, {nil}},
		ByName: map[string]*inner{"x": {&seen}, "y": nil}, Any: inner{&seen},
		Texts: map[string]string{"born_at": iso}, Raw: json.RawMessage(`{"at":1,"made_at":"` + iso + `"}`),
	})
	require.NoError(t, err)
	text, err := superjson.Append(nil, value)
	require.NoError(t, err)
	const date = `"2026-01-02T03:04:05.678Z"`
	require.Equal(t, `{"json":{"seen_at":`+date+`,"created_at":`+date+`,"other_at":"noon","empty_at":"","at":`+date+`,"name":"`+iso+`",`+
		`"list":[{"seen_at":`+date+`},{"seen_at":null}],"by_name":{"x":{"seen_at":`+date+`},"y":null},"any":{"seen_at":`+date+`},`+
		`"texts":{"born_at":"`+iso+`"},"raw":{"at":1,"made_at":"`+iso+`"}},"meta":{"values":{"seen_at":["Date"],"created_at":["Date"],"at":["Date"],`+
		`"list.0.seen_at":["Date"],"by_name.x.seen_at":["Date"],"any.seen_at":["Date"]},"v":1}}`, string(text))
	value, err = valueOf(nil)
	require.NoError(t, err)
	require.Equal(t, superjson.KindUndefined, superjson.KindOf(value))
}
