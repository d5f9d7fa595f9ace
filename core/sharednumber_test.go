package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
	"stele/internal/typedjson"
)

// What the state takes in must be readable from the log, or the gateway does not start again.
func TestSharedStateNumbersComeBackFromTheLog(t *testing.T) {
	for _, s := range []string{"1e400", "-1e309", "0.1e400", "0.1e50", "1e+22", "1e308", "1e-400", "-0.0", "123456789012345678901234567890"} {
		v, err := typedjson.FromPlain([]byte(`{"n":[`+s+`]}`), typedjson.Limits{})
		require.NoError(t, err, s)
		text, err := strictjson.Marshal(&StatePatchTexts{Patch: v})
		require.NoError(t, err, s)
		var back StatePatchTexts
		require.NoError(t, strictjson.Unmarshal(text, &back), s)
		require.True(t, typedjson.Equal(v, back.Patch), s)
	}
}
