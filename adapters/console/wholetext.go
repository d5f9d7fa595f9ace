package console

import (
	"html/template"
	"net/http"
	"unicode/utf8"

	"stele/core"
)

// maxWhole bounds a text that stands whole on the page of its event, in bytes of the page: the first load stays below 100 KB.
const maxWhole = 24 << 10

// whole is the text of a message that the lists and the scripts of a page show only the begin of, or of a document, which they
// show in the quotes of a wire.
type whole struct {
	// Document tells that it is one.
	Document bool
	// Text is all of it, empty when it is too large for a page; it lies on one of its own then.
	Text       string
	Characters int
}

// textOf is the text that an event brings.
func textOf(e *core.Entry) (text string, document, ok bool) {
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		return p.Text, false, true
	case *core.DocumentCreatedEvent:
		return p.Content, true, true
	case *core.DocumentChangedEvent:
		if p.Content != nil {
			return *p.Content, true, true
		}
	}
	return "", false, false
}

// wholeOf returns the text of an event when a page does not show it as it reads anywhere, else nil.
func wholeOf(e *core.Entry) *whole {
	text, document, ok := textOf(e)
	if !ok || text == "" {
		return nil
	}
	n := utf8.RuneCountInString(text)
	_, low := cutLines(text, shownLines)
	switch {
	case !document && n <= maxLeaf && !low:
		return nil
	case len(template.HTMLEscapeString(text)) > maxWhole:
		return &whole{Document: document, Characters: n}
	}
	return &whole{Document: document, Text: text, Characters: n}
}

// showText answers with the text of an event and nothing else, as plain text that no browser takes for anything else.
func (c *Console) showText(v *visit) error {
	_, e, err := c.eventIn(v)
	if err != nil {
		return err
	}
	text, _, ok := textOf(e)
	if !ok {
		return errNoPage
	}
	return v.echo.String(http.StatusOK, text)
}
