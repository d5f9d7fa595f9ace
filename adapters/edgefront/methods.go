package edgefront

import (
	"encoding/json"
	"fmt"
	"strings"

	"stele/core/operations"
	"stele/edgeframes/superjson"
)

// methods finds an operation by the names under which clients call it: its own, and that in camelCase.
type methods map[string]operations.Description

func methodsOf(ops *operations.Registry) methods {
	m := methods{}
	for _, op := range ops.List() {
		m[camelCase(op.Name)] = op
	}
	for _, op := range ops.List() {
		m[op.Name] = op
	}
	return m
}

// camelCase turns read_context into readContext.
func camelCase(snake string) string {
	words := strings.Split(snake, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// argsOf gives a call's arguments their names. A single plain object has them by name; otherwise they stand in declared
// order, and null or undefined means that the parameter was left out.
func argsOf(op operations.Description, args []superjson.Value) (map[string]json.RawMessage, error) {
	named := map[string]json.RawMessage{}
	if len(args) == 1 {
		if o, ok := args[0].(*superjson.Object); ok {
			for name, v := range o.All() {
				if superjson.KindOf(v) != superjson.KindUndefined {
					named[name] = superjson.AppendJSON(nil, v)
				}
			}
			return named, nil
		}
	}
	for i, v := range args {
		absent := superjson.KindOf(v) == superjson.KindUndefined || superjson.KindOf(v) == superjson.KindNull
		switch {
		case absent:
		case i >= len(op.Params):
			return nil, &operations.ArgumentError{
				Reason: fmt.Sprintf("%s takes at most %d arguments", op.Name, len(op.Params)),
			}
		default:
			named[op.Params[i].Name] = superjson.AppendJSON(nil, v)
		}
	}
	return named, nil
}
