package scripts

import (
	"fmt"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
	"stele/internal/typedjson"
)

// factsFrom reads the payload of an event frame about a room's settings, belongings and dealings. It has the keys of the log's
// own words, as far as it has them; what is left out is left empty.
func factsFrom(kind core.Kind, said *superjson.Object) (core.Payload, error) {
	value := typedjson.Value{Kind: typedjson.Object}
	if said != nil {
		var err error
		if value, err = edgefront.Logged(said); err != nil {
			return nil, fmt.Errorf("read the payload of %s: %w", kind, err)
		}
	}
	line := append([]byte(`{"room":"-","kind":`), strictjson.AppendString(nil, string(kind))...)
	line = append(value.AppendPlain(append(line, `,"event":`...)), '}')
	e, err := core.ParsePlain(line)
	if err != nil {
		return nil, err
	}
	p, ok := e.Payload.(core.Payload)
	if !ok {
		return nil, fmt.Errorf("an event of kind %q is not known", kind)
	}
	return p, nil
}
