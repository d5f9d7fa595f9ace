package superjson

// row is an array that the paths of one level lead through one after the other, as those
// to the moments of many messages do: the next path is likely of the next item. It stays
// what it is, as annotations of what is inside an item change nothing above.
type row struct {
	// prefix is the path to the array with its opening quote and a dot at the end.
	prefix []byte
	items  Array
}

// along reads a path that leads to a member of an item of the row, and follows it there.
// It gives up on every other path.
func (r *reader) along(row *row, pathLen int) (to *Value, last []byte, n int, ok bool) {
	text, i := r.text, r.pos+len(row.prefix)
	if len(row.items) == 0 || i >= len(text) || string(text[r.pos:i]) != string(row.prefix) {
		return nil, nil, 0, false
	}
	dot := digits(text, i)
	at, ok := itemIndex(text[i:dot])
	if !ok || at >= len(row.items) || dot >= len(text) || text[dot] != '.' {
		return nil, nil, 0, false
	}
	end := dot + 1
	for end < len(text) && plainByte[text[end]] && text[end] != '.' {
		end++
	}
	n = pathLen + end - r.pos
	if end == len(text) || text[end] != '"' || n > r.codec.Limits.MaxPath {
		return nil, nil, 0, false
	}
	last = text[dot+1 : end]
	if to = r.step(&row.items[at], last); to == nil {
		return nil, nil, 0, false
	}
	r.pos = end + 1
	return to, last, n, true
}
