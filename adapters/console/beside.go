package console

import (
	"strings"

	"stele/core"
)

// Bounds of what stands beside a conversation, which is sent again whenever it changes: the shared state in bytes, what a text
// describes in characters, and the members and each other list in bytes of the page. A page's first load stays below 100 KB.
const (
	maxShared      = 6 << 10
	maxDescription = 400
	membersBytes   = 20 << 10
	besideBytes    = 6 << 10
	// rowBytes is about what the page adds to the texts of a row.
	rowBytes = 150
)

// shortText is the begin of a text that describes something.
func shortText(text string) string { return begin(text, maxDescription) }

// moreBeside counts what does not stand beside a conversation.
type moreBeside struct{ Members, Roles, Documents, Links int }

// fit leaves out what would make the page too large.
func (a *aside) fit() {
	for i := range a.Documents {
		a.Documents[i].Description = shortText(a.Documents[i].Description)
	}
	a.Typing = a.Typing[:min(len(a.Typing), shownTyping)]
	a.Members, a.More.Members = fitting(a.Members, membersBytes, rowBytes, func(m memberRow) string { return m.Shown + m.Role })
	a.Roles, a.More.Roles = fitting(a.Roles, besideBytes, rowBytes, func(r roleRow) string { return r.Name + strings.Join(r.Holders, ", ") })
	a.Documents, a.More.Documents = fitting(a.Documents, besideBytes, rowBytes, func(d core.Document) string { return d.Name + d.Description })
	a.Links, a.More.Links = fitting(a.Links, besideBytes, rowBytes, func(l core.Link) string { return l.Target + l.Label })
}
