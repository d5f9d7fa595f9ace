package edgefront

import (
	"reflect"
	"strings"
	"time"

	"stele/core/operations"
	"stele/edgeframes/superjson"
)

// valueOf is the result of an operation as a value. Records of the other doors spell times as text; here they are dates.
// Only what the operation's own types declare as a time is one: fields named "at" or with a name that ends in "_at". What
// members wrote, in maps and values, stays as they wrote it.
func valueOf(result any) (superjson.Value, error) {
	switch r := result.(type) {
	case nil:
		return superjson.Undefined{}, nil
	case operations.Typed:
		value := shown(r.Value)
		return value, superjson.Check(value)
	}
	value, err := superjson.FromGo(result)
	if err != nil {
		return nil, err
	}
	value = dated(reflect.ValueOf(result), value)
	return value, superjson.Check(value)
}

// dated puts dates where a Go value has declared times, and returns what v is then.
func dated(g reflect.Value, v superjson.Value) superjson.Value {
	for g.Kind() == reflect.Pointer || g.Kind() == reflect.Interface {
		g = g.Elem()
	}
	switch made := v.(type) {
	case *superjson.Object:
		switch g.Kind() {
		case reflect.Struct:
			datedFields(g, made)
		case reflect.Map:
			for _, key := range g.MapKeys() {
				if item, ok := made.Get(key.String()); ok && key.Kind() == reflect.String {
					made.Set(key.String(), dated(g.MapIndex(key), item))
				}
			}
		}
	case superjson.Array:
		if g.Kind() == reflect.Slice && g.Len() == len(made) {
			for i := range made {
				made[i] = dated(g.Index(i), made[i])
			}
		}
	}
	return v
}

func datedFields(g reflect.Value, made *superjson.Object) {
	for i := range g.NumField() {
		field := g.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			dated(g.Field(i), made)
			continue
		}
		item, ok := made.Get(name)
		if !ok || !field.IsExported() {
			continue
		}
		if text, ok := item.(superjson.String); ok && (name == "at" || strings.HasSuffix(name, "_at")) {
			item = dateOf(text)
		}
		made.Set(name, dated(g.Field(i), item))
	}
}

// dateOf reads a time as operations spell it; what is none stays what it is.
func dateOf(text superjson.String) superjson.Value {
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00"} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			return superjson.DateOf(t)
		}
	}
	return text
}
