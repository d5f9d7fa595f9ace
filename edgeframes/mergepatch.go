package edgeframes

import "stele/edgeframes/superjson"

// ApplyMergePatch returns target as patch changes it, by RFC 7396 over decoded
// values: in a patch that is a plain object, null deletes a key, a plain object merges
// into what is there, and anything else replaces it, undefined too. Arrays, Dates,
// Maps, Sets and the like are replaced whole. A patch that is no plain object replaces
// the target; a target that is none counts as {}. Neither argument is changed.
func ApplyMergePatch(target, patch superjson.Value) superjson.Value {
	p, ok := patch.(*superjson.Object)
	if !ok {
		return patch
	}
	return MergeObject(target, p)
}

// MergeObject is [ApplyMergePatch] for the common patch, which always gives an object.
// Keys keep their places; new ones follow.
func MergeObject(target superjson.Value, patch *superjson.Object) *superjson.Object {
	old, _ := target.(*superjson.Object)
	merged := make([]superjson.Member, 0, old.Len()+patch.Len())
	for key, v := range old.All() {
		change, ok := patch.Get(key)
		switch {
		case !ok:
			merged = append(merged, superjson.Member{Key: key, Value: v})
		case !deletes(change):
			merged = append(merged, superjson.Member{Key: key, Value: ApplyMergePatch(v, change)})
		}
	}
	for key, v := range patch.All() {
		if _, known := old.Get(key); !known && !deletes(v) {
			merged = append(merged, superjson.Member{Key: key, Value: ApplyMergePatch(superjson.Undefined{}, v)})
		}
	}
	return superjson.NewObject(merged...)
}

func deletes(v superjson.Value) bool { return superjson.KindOf(v) == superjson.KindNull }
