package edgefront

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"stele/core/operations"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
)

// methods finds an operation by the names under which clients call it: its own, and that in camelCase.
type methods map[string]method

// method is an operation as clients call it.
type method struct {
	operations.Description
	// objectFirst: its first parameter takes an object.
	objectFirst bool
}

func methodsOf(ops *operations.Registry) methods {
	m, list := methods{}, ops.List()
	for _, op := range list {
		m[camelCase(op.Name)] = method{op, objectFirst(op)}
	}
	for _, op := range list {
		m[op.Name] = method{op, objectFirst(op)}
	}
	return m
}

// objectFirst reads from an operation's schema whether its first parameter takes an object, or anything.
func objectFirst(op operations.Description) bool {
	if len(op.Params) == 0 {
		return false
	}
	type kind struct {
		Type  string `json:"type"`
		AnyOf []kind `json:"anyOf"`
	}
	var schema struct {
		Properties map[string]kind `json:"properties"`
	}
	if strictjson.Unmarshal(op.Schema, &schema) != nil {
		return false
	}
	takes := func(k kind) bool { return k.Type == "object" || k.Type == "" && k.AnyOf == nil }
	first := schema.Properties[op.Params[0].Name]
	return takes(first) || slices.ContainsFunc(first.AnyOf, takes)
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
// order, and null or undefined means that the parameter was left out, but that null is a value where any is.
func (op *method) argsOf(args []superjson.Value) (map[string]json.RawMessage, error) {
	named := map[string]json.RawMessage{}
	if len(args) == 1 {
		if o, ok := args[0].(*superjson.Object); ok && op.byName(o) {
			for name, v := range o.All() {
				if superjson.KindOf(v) == superjson.KindUndefined {
					continue
				}
				var err error
				if named[name], err = op.argument(name, v); err != nil {
					return nil, err
				}
			}
			return named, nil
		}
	}
	for i, v := range args {
		absent := superjson.KindOf(v) == superjson.KindUndefined ||
			superjson.KindOf(v) == superjson.KindNull && (i >= len(op.Params) || !op.Params[i].Any)
		switch {
		case absent:
		case i >= len(op.Params):
			return nil, &operations.ArgumentError{
				Reason: fmt.Sprintf("%s takes at most %d arguments", op.Name, len(op.Params)),
			}
		default:
			var err error
			if named[op.Params[i].Name], err = op.argument(op.Params[i].Name, v); err != nil {
				return nil, err
			}
		}
	}
	return named, nil
}

// argument is the text of an argument: typed JSON where the operation keeps types, and plain JSON elsewhere.
func (op *method) argument(name string, v superjson.Value) (json.RawMessage, error) {
	if !slices.ContainsFunc(op.Params, func(p operations.Param) bool { return p.Name == name && p.Typed }) {
		return plainArgument(name, v)
	}
	kept, err := logged(v)
	if errors.Is(err, errHalfPair) {
		return nil, halfPair(name)
	}
	if err != nil {
		return nil, &operations.ArgumentError{Names: []string{name}, Reason: fmt.Sprintf("argument %q: %v", name, err)}
	}
	return kept.Append(nil), nil
}

// plainArgument is an argument as plain JSON. That writes what no UTF-8 has, half of a surrogate pair, as U+FFFD; the form
// that keeps it tells the two apart, so that a text is refused and not altered.
func plainArgument(name string, v superjson.Value) (json.RawMessage, error) {
	plain := superjson.AppendJSON(nil, v)
	if !bytes.Contains(plain, []byte("\ufffd")) {
		return plain, nil
	}
	exact, err := superjson.Append(nil, v)
	if err != nil {
		return plain, nil
	}
	limits := strictjson.Limits{MaxBytes: len(exact), MaxDepth: math.MaxInt, WholeText: true}
	if errors.Is(strictjson.Check(exact, limits), strictjson.ErrLoneSurrogate) {
		return nil, halfPair(name)
	}
	return plain, nil
}

func halfPair(name string) error {
	return &operations.ArgumentError{
		Names: []string{name}, Reason: fmt.Sprintf("argument %q holds half of a surrogate pair, which is not a character", name),
	}
}

// byName tells whether an object that is all that a call brings holds the arguments by name. Where the first parameter takes
// an object as well, it does if all its keys are names of parameters, but for an idempotency key beside them; {} is then the
// argument itself.
func (op *method) byName(o *superjson.Object) bool {
	if !op.objectFirst {
		return true
	}
	named := false
	for name := range o.All() {
		switch {
		case slices.ContainsFunc(op.Params, func(p operations.Param) bool { return p.Name == name }):
			named = true
		case name != keyArgument:
			return false
		}
	}
	return named
}
