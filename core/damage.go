package core

import "errors"

// damageBehind returns the damage that an error is about, if it lies behind a cursor and has a place.
func damageBehind(cursor Position, err error) *CorruptError {
	var damage *CorruptError
	if !errors.As(err, &damage) || damage.First <= cursor {
		return nil
	}
	return damage
}

// PassDamage moves the cursor onto the first damaged position that an error of Read is about, so that the next Read goes on
// behind it. The reader misses what lay there and nothing else: from is the position before it. ok is false when the error is
// about something else.
func (r *Reader) PassDamage(err error) (from, at Position, ok bool) {
	damage := damageBehind(r.cursor, err)
	if damage == nil {
		return 0, 0, false
	}
	r.Seek(damage.First)
	return damage.First - 1, damage.First, true
}
