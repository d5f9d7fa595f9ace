package superjson

import "encoding/json"

// ToPlain returns v as the Go values of its plain JSON (see [AppendJSON]): nil, bool,
// string, json.Number, []any and map[string]any. A part that stands in several places
// is one Go value at all of them.
func ToPlain(v Value) any {
	p := plainer{}
	return p.value(v)
}

// plainer remembers what it made of the objects it met; nil of those still open.
type plainer struct {
	known map[identity]any
}

func (p *plainer) value(v Value) any {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case String:
		return v.Valid()
	case Number:
		if text := plainNumber(v); text != "null" {
			return json.Number(text)
		}
	case BigInt:
		return v.String()
	case Date:
		if v.Valid() {
			return v.String()
		}
	case RegExp:
		return replaceSurrogates(v.String())
	case URL:
		return replaceSurrogates(v.Href)
	case Symbol:
		return replaceSurrogates(v.Description)
	case *Custom:
		return p.value(v.Value)
	case *TypedArray:
		return p.list(v.items())
	case Array, *Set, *Object, *Map, *Error, *Instance:
		return p.once(v)
	}
	return nil
}

func (p *plainer) once(v Value) any {
	id := identify(v)
	if id.tag == 0 {
		return p.container(v)
	}
	if made, ok := p.known[id]; ok {
		return made
	}
	if p.known == nil {
		p.known = make(map[identity]any)
	}
	p.known[id] = nil
	made := p.container(v)
	p.known[id] = made
	return made
}

func (p *plainer) container(v Value) any {
	switch v := v.(type) {
	case Array:
		return p.list(v)
	case *Set:
		return p.list(v.list())
	case *Object:
		return p.object(v.list())
	case *Error:
		return p.object(v.plainMembers())
	case *Instance:
		return p.object(v.Props.list())
	case *Map:
		pairs := make([]any, v.Len())
		for i, e := range v.list() {
			pairs[i] = []any{p.value(e.Key), p.value(e.Value)}
		}
		return pairs
	}
	return nil
}

func (p *plainer) list(items []Value) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = p.value(item)
	}
	return list
}

func (p *plainer) object(members []Member) map[string]any {
	object := make(map[string]any, len(members))
	for _, m := range members {
		if KindOf(m.Value) != KindUndefined {
			object[replaceSurrogates(m.Key)] = p.value(m.Value)
		}
	}
	return object
}
