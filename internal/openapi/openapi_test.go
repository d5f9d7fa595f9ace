package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/openapi"
)

type inner struct {
	N int `json:"n"`
}

type list []string

func (l list) MarshalJSON() ([]byte, error) { return json.Marshal([]string(l)) }

type base struct {
	ID string `json:"id"`
}

type Thing struct {
	base
	Name    *string         `json:"name"`
	Inner   *inner          `json:"inner"`
	Tags    list            `json:"tags"`
	Any     json.RawMessage `json:"any"`
	Left    float64         `json:"left,omitempty"`
	Hidden  string          `json:"-"`
	Nested  map[string]inner
	private int
}

type secretive struct{}

func (secretive) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

func document() openapi.Document {
	return openapi.Document{
		Title: "test", Version: "1", Security: map[string]any{"key": map[string]any{"type": "http", "scheme": "bearer"}},
		Endpoints: []openapi.Endpoint{
			{
				Method: "GET", Path: "/things/{id}", Summary: "One", Security: []string{"key"},
				Params: []openapi.Param{{In: "query", Name: "q"}},
				Answers: map[int]openapi.Answer{
					200: openapi.JSON("the thing", openapi.Of[Thing]()),
					204: {Description: "nothing"},
					401: {Description: "who?", Contents: map[string]openapi.Content{"text/plain": {}}},
				},
			},
			{
				Method: "GET", Path: "/things/first", Summary: "First",
				Answers: map[int]openapi.Answer{200: {Description: "bytes", Contents: map[string]openapi.Content{"*/*": {}}}},
			},
		},
	}
}

func TestCheck(t *testing.T) {
	c, err := openapi.NewChecker(document())
	require.NoError(t, err)
	const good = `{"id":"1","name":null,"inner":{"n":1},"tags":["a"],"any":[{}],"Nested":{"k":{"n":2}}}`
	for _, tc := range []struct {
		path, kind, body string
		status           int
		wrong            string
	}{
		{"/things/1", "application/json", good, 200, ""},
		{"/things/1", "application/json; charset=utf-8", good, 200, ""},
		{"/things/1", "", "", 204, ""},
		{"/things/1", "", "Invalid", 401, ""},
		{"/things/first", "image/png", "x", 200, ""},
		{"/things/1", "", "x", 204, "should have no body"},
		{"/things/1", "application/json", strings.Replace(good, `"id":"1",`, "", 1), 200, "missing property"},
		{"/things/1", "application/json", strings.Replace(good, `null`, "3", 1), 200, "got number"},
		{"/things/1", "application/json", strings.Replace(good, `{"n":1}`, `{"n":"1"}`, 1), 200, "got string"},
		{"/things/1", "application/json", "{", 200, "body"},
		{"/things/1", "text/html", "x", 200, "not described"},
		{"/things/1", "application/json", good, 500, "not described"},
		{"/things", "application/json", good, 200, "not described"},
		{"/things/", "application/json", good, 200, "not described"},
	} {
		err := c.Check("GET", tc.path, tc.status, tc.kind, []byte(tc.body))
		if tc.wrong == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, tc.wrong, "%+v", tc)
		}
	}
	require.True(t, c.Knows("/things/7"))
	require.False(t, c.Knows("/other"))
}

func TestYAMLIsStable(t *testing.T) {
	first, err := document().YAML()
	require.NoError(t, err)
	for range 20 {
		again, err := document().YAML()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
	require.True(t, strings.HasPrefix(string(first), "openapi: 3.1.0\ninfo:\n  title: test\n"))
	require.NotContains(t, string(first), "Hidden")
	require.NotContains(t, string(first), "private")
	_ = Thing{}.private
}

// TestTypesThatEncodeThemselves: without a schema of their own they would be described wrongly.
func TestTypesThatEncodeThemselves(t *testing.T) {
	d := openapi.Document{Endpoints: []openapi.Endpoint{{
		Method: "GET", Path: "/", Answers: map[int]openapi.Answer{200: openapi.JSON("x", openapi.Of[secretive]())},
	}}}
	require.Panics(t, func() { _, _ = d.YAML() })
}
