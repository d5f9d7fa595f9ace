package superjson

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEndingsAreOnlyExpected: a text that ends as those before it did, and means something else by it, is read as it is.
func TestEndingsAreOnlyExpected(t *testing.T) {
	const end = `"meta":{"values":{"at":["Date"]},"v":1}}`
	usual := `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z"},` + end
	c := Codec{Limits: Limits{}.withDefaults()}
	parse := func(r *reader, text string) (Value, bool) {
		r.begin(&c, []byte(text), nil)
		v, ok, err := r.parse()
		require.NoError(t, err)
		// What release lets go of, without giving the reader to others.
		r.text, r.window = nil, ""
		r.texts.reset()
		return v, ok
	}
	primed := func() *reader {
		r := new(reader)
		for range 2 * endingPatience {
			v, ok := parse(r, usual)
			require.True(t, ok)
			d, _ := v.(*Object).Get("at")
			require.IsType(t, Date{}, d)
		}
		require.NotEmpty(t, r.ending.rest)
		require.Zero(t, r.ending.missed, "the last ones were recognized")
		return r
	}
	for name, text := range map[string]string{
		"not where it was":     `{"json":{"at":"2026-01-02T03:04:05.678Z","kind":"event"},` + end,
		"no Date":              `{"json":{"kind":"event","at":"2026-01-02 03:04:05.678Z"},` + end,
		"not there":            `{"json":{"kind":"event","as":"2026-01-02T03:04:05.678Z"},` + end,
		"a list":               `{"json":["2026-01-02T03:04:05.678Z"],` + end,
		"a number":             `{"json":{"kind":"event","at":12},` + end,
		"one more":             `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z","by":"2026-01-02T03:04:05.678Z"},` + end,
		"nested":               `{"json":{"kind":{"at":"2026-01-02T03:04:05.678Z"},"at":"2026-01-02T03:04:05.678Z"},` + end,
		"another end":          `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z"},"meta":{"values":{"kind":["set"]},"v":1}}`,
		"twice":                `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z","at":"x"},` + end,
		"nothing behind it":    usual + " ",
		"something behind it":  usual + "}",
		"without annotations":  `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z"}}`,
		"a version by itself":  `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z"},"meta":{"v":1}}`,
		"equalities behind it": `{"json":{"kind":"event","at":"2026-01-02T03:04:05.678Z"},"meta":{"values":{"at":["Date"]},"referentialEqualities":{"at":["kind"]},"v":1}}`,
	} {
		slow, slowErr := c.parseSlow([]byte(text))
		r := primed()
		r.begin(&c, []byte(text), nil)
		fast, ok, err := r.parse()
		if !ok {
			continue
		}
		require.Equal(t, slowErr == nil, err == nil, name)
		if err == nil {
			require.True(t, Equal(slow, fast), name)
		}
	}
	short := c
	short.Limits.MaxPath = 2
	r := primed()
	r.begin(&short, []byte(usual), nil)
	_, ok, _ := r.parse()
	require.False(t, ok, "a path that is too long for these limits")
}
