package console

import (
	"html/template"
	"net/http"
	"unicode/utf8"

	"stele/core"
)

// maxWhole bounds a text that stands whole on the page of its event, in bytes of the page: the first load stays below 100 KB.
const maxWhole = 24 << 10

// whole is the text of a message that the lists and the scripts of a page show only the begin of.
type whole struct {
	// Text is all of it, empty when it is too large for a page; it lies on one of its own then.
	Text       string
	Characters int
}

// wholeOf returns the text of an event when a page shows it cut anywhere, else nil.
func wholeOf(e *core.Entry) *whole {
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		return nil
	}
	n := utf8.RuneCountInString(p.Text)
	_, low := cutLines(p.Text, shownLines)
	switch {
	case n <= maxLeaf && !low:
		return nil
	case len(template.HTMLEscapeString(p.Text)) > maxWhole:
		return &whole{Characters: n}
	}
	return &whole{Text: p.Text, Characters: n}
}

// showText answers with the text of a message and nothing else, as plain text that no browser takes for anything else.
func (c *Console) showText(v *visit) error {
	_, e, err := c.eventIn(v)
	if err != nil {
		return err
	}
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		return errNoPage
	}
	return v.echo.String(http.StatusOK, p.Text)
}
