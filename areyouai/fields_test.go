package areyouai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

// FuzzShortenNumbers: shortening changes nothing about whether a document is
// JSON, nothing at all in one without long rows of digits, and never leaves a
// number that is too long for the decoder.
func FuzzShortenNumbers(f *testing.F) {
	row := strings.Repeat("7", 400)
	for _, s := range []string{
		row, `{"a":"` + row + `\"","b":-` + row + `.` + row + `E-` + row + `}`, `[` + row + `.]`, `0` + row, `"\\` + row,
		`{"` + row + `\\":` + row + `}`, `\"` + row,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		short := shortenNumbers(doc)
		require.Equal(t, json.Valid(doc), json.Valid(short))
		require.NotErrorIs(t, strictjson.Check(short, strictjson.Limits{MaxBytes: len(short) + 1}), strictjson.ErrTooLarge)
		if len(short) == len(doc) {
			require.True(t, bytes.Equal(doc, short))
		}
	})
}
