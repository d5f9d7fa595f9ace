package console

import "html/template"

// Bounds of a page that is a list, and of one of several lists of a page, in bytes of the page: its first load stays below
// 100 KB, whatever agents call things.
const (
	listBytes  = 52 << 10
	shortBytes = 8 << 10
	// claimsBytes is for the rooms that one connection has claimed.
	claimsBytes = 2 << 10
	// tableRowBytes is about what the page adds to the texts of a row of a table, with the forms in it.
	tableRowBytes = 400
	// nameInList is how many characters of a name stand in a list.
	nameInList = 120
)

// fitting returns as many of a list as fit into so many bytes of the page, each being some bytes and its text, and how many do
// not.
func fitting[T any](all []T, most, each int, text func(T) string) (some []T, more int) {
	for i, one := range all {
		if most -= each + len(template.HTMLEscapeString(text(one))); most < 0 {
			return all[:i:i], len(all) - i
		}
	}
	return all, 0
}

// nameShort is a name as a list shows it.
func nameShort(name string) string { return begin(name, nameInList) }

// begin is the begin of a text, with a sign that there is more.
func begin(text string, most int) string {
	short, more := cut(text, most)
	if more {
		short += "…"
	}
	return short
}
