package superjson

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// field is a struct field that travels, perhaps one of an embedded struct.
type field struct {
	name string
	typ  reflect.Type
	// path leads from the outer struct to the field.
	path []int
	// quoted is the name as it is printed, with its colon.
	quoted    string
	tagged    bool
	omitEmpty bool
	omitZero  bool
	// asText is the string option.
	asText    bool
	forbidden bool
}

// fieldSet is the fields of a struct in JavaScript's order: array indices first.
type fieldSet struct {
	list   []field
	names  []string
	byName map[string]*field
}

var fieldSets sync.Map

func fieldsOf(t reflect.Type) *fieldSet {
	if s, ok := fieldSets.Load(t); ok {
		return s.(*fieldSet)
	}
	s := &fieldSet{list: dominant(collectFields(t)), byName: map[string]*field{}}
	slices.SortStableFunc(s.list, func(a, b field) int {
		i, iok := arrayIndex(a.name)
		j, jok := arrayIndex(b.name)
		return compareIndices(i, iok, j, jok)
	})
	for i := range s.list {
		f := &s.list[i]
		f.quoted = string(appendString(nil, f.name)) + ":"
		f.forbidden = forbidden(f.name)
		s.names = append(s.names, f.name)
		s.byName[f.name] = f
	}
	kept, _ := fieldSets.LoadOrStore(t, s)
	return kept.(*fieldSet)
}

// find returns the field of a key: the exact name, else one that differs in case.
func (s *fieldSet) find(key string) *field {
	if f, ok := s.byName[key]; ok {
		return f
	}
	for i := range s.list {
		if strings.EqualFold(s.list[i].name, key) {
			return &s.list[i]
		}
	}
	return nil
}

// collectFields lists the fields of t and of its embedded structs, level by level. A
// struct type is visited once per level at most, so that recursion ends.
func collectFields(t reflect.Type) []field {
	type embedded struct {
		typ  reflect.Type
		path []int
	}
	var all []field
	visited := map[reflect.Type]bool{}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		count := map[reflect.Type]int{}
		for _, s := range level {
			count[s.typ]++
		}
		for _, s := range level {
			if visited[s.typ] {
				continue
			}
			// Two of a type at one level hide each other's fields, which dominant
			// sees from their being there twice.
			for i := range s.typ.NumField() {
				path := append(slices.Clone(s.path), i)
				f, inner, ok := newField(s.typ.Field(i), path)
				switch {
				case !ok:
				case inner != nil:
					next = append(next, embedded{inner, path})
				default:
					all = append(all, f)
				}
			}
			if count[s.typ] == 1 {
				visited[s.typ] = true
			}
		}
		for _, s := range level {
			visited[s.typ] = true
		}
		level = next
	}
	return all
}

// newField reads one field; inner is the struct whose fields stand in for an embedded
// one.
func newField(sf reflect.StructField, path []int) (f field, inner reflect.Type, ok bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return field{}, nil, false
	}
	typ := sf.Type
	if sf.Anonymous {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		// The exported fields of an unexported embedded struct do travel.
		if !sf.IsExported() && typ.Kind() != reflect.Struct {
			return field{}, nil, false
		}
	} else if !sf.IsExported() {
		return field{}, nil, false
	}
	name, rest, _ := strings.Cut(tag, ",")
	if !validName(name) {
		name = ""
	}
	if sf.Anonymous && name == "" && typ.Kind() == reflect.Struct {
		return field{}, typ, true
	}
	if !sf.IsExported() {
		return field{}, nil, false
	}
	options := strings.Split(rest, ",")
	f = field{
		name: name, typ: sf.Type, path: path, tagged: name != "",
		omitEmpty: slices.Contains(options, "omitempty"),
		omitZero:  slices.Contains(options, "omitzero"),
		asText:    slices.Contains(options, "string") && scalar(sf.Type),
	}
	if name == "" {
		f.name = sf.Name
	}
	return f, nil, true
}

// validName is encoding/json's notion of a name that a tag may give.
func validName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

func scalar(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// dominant keeps of the fields of one name the one that Go's rules choose: the least
// deep, of those a tagged one, and none if that leaves several.
func dominant(all []field) []field {
	byName := map[string][]field{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var kept []field
	for _, fields := range byName {
		rank := func(f field) int {
			r := 2 * len(f.path)
			if f.tagged {
				r--
			}
			return r
		}
		slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(rank(a), rank(b)) })
		if len(fields) == 1 || rank(fields[0]) < rank(fields[1]) {
			kept = append(kept, fields[0])
		}
	}
	slices.SortFunc(kept, func(a, b field) int { return slices.Compare(a.path, b.path) })
	return kept
}

// in returns the field of v, false where an embedded pointer on the way is nil.
func (f *field) in(v reflect.Value) (reflect.Value, bool) {
	for i, x := range f.path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// zeroer is what encoding/json asks a value with omitzero.
type zeroer interface{ IsZero() bool }

func (f *field) omitted(v reflect.Value) bool {
	if f.omitEmpty && empty(v) {
		return true
	}
	if !f.omitZero {
		return false
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return true
		}
		if z, ok := v.Interface().(zeroer); ok {
			return z.IsZero()
		}
	} else if z, ok := v.Addr().Interface().(zeroer); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

// empty is encoding/json's notion of a value that omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
