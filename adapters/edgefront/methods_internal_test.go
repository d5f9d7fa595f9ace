package edgefront

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core/operations"
	"stele/edgeframes/superjson"
)

// One object names the arguments, unless the operation's first parameter takes an object and the keys are others.
func TestOneObject(t *testing.T) {
	params := []operations.Param{{Name: "options"}, {Name: "room_id"}}
	description := func(first string) operations.Description {
		return operations.Description{Name: "op", Params: params, Schema: []byte(
			`{"properties":{"options":` + first + `,"room_id":{"type":"string"}},"type":"object"}`)}
	}
	for name, c := range map[string]struct {
		first, arg string
		want       map[string]string
	}{
		"named":                       {`{"type":"object"}`, `{"options":{"a":1}}`, map[string]string{"options": `{"a":1}`}},
		"named, both":                 {`{"type":"object"}`, `{"options":{},"room_id":"x"}`, map[string]string{"options": `{}`, "room_id": `"x"`}},
		"the object itself":           {`{"type":"object"}`, `{"a":1}`, map[string]string{"options": `{"a":1}`}},
		"the object itself, in part":  {`{"type":"object"}`, `{"a":1,"room_id":"x"}`, map[string]string{"options": `{"a":1,"room_id":"x"}`}},
		"empty":                       {`{"type":"object"}`, `{}`, map[string]string{"options": `{}`}},
		"named, with a key":           {`{"type":"object"}`, `{"options":{},"idempotency_key":"k"}`, map[string]string{"options": `{}`, "idempotency_key": `"k"`}},
		"only what looks like a key":  {`{"type":"object"}`, `{"idempotency_key":"k"}`, map[string]string{"options": `{"idempotency_key":"k"}`}},
		"object or null":              {`{"anyOf":[{"type":"object"},{"type":"null"}]}`, `{"a":1}`, map[string]string{"options": `{"a":1}`}},
		"anything":                    {`{}`, `{"a":1}`, map[string]string{"options": `{"a":1}`}},
		"text, empty":                 {`{"type":"string"}`, `{}`, map[string]string{}},
		"text, with an unknown name":  {`{"type":"string"}`, `{"a":1}`, map[string]string{"a": `1`}},
		"text or null, with any name": {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"a":1}`, map[string]string{"a": `1`}},
	} {
		t.Run(name, func(t *testing.T) {
			arg, err := superjson.ParseJSON([]byte(c.arg), superjson.Limits{})
			require.NoError(t, err)
			d := description(c.first)
			op := &method{d, objectFirst(d)}
			args, err := op.argsOf([]superjson.Value{arg})
			require.NoError(t, err)
			got := map[string]string{}
			for k, v := range args {
				got[k] = string(v)
			}
			require.Equal(t, c.want, got)
		})
	}
}
