package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"stele/core"
)

//go:embed pages
var pageFiles embed.FS

// pages are the templates, one set per page: the layout and the pieces that all share, and the page's own.
type pages struct {
	byName map[string]*template.Template
}

// frame is what the layout shows around a page.
type frame struct {
	User    core.User
	Path    string
	Base    string
	Version string
	// Page is what the page itself shows.
	Page any
}

// loadPages parses the templates that the binary carries. That they parse is known since they were built.
func loadPages(a *assets) *pages {
	shared := template.New("").Funcs(template.FuncMap{
		"asset": a.path, "ago": ago, "clock": clock, "stamp": stamp, "initial": initial, "join": strings.Join, "nav": navItem, "spans": spans, "words": words, "secret": newSecret,
	})
	template.Must(shared.ParseFS(pageFiles, "pages/layout.html", "pages/pieces/*.html"))
	p := &pages{byName: map[string]*template.Template{}}
	files, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "pages/"), ".html")
		if name != "layout" {
			p.byName[name] = template.Must(template.Must(shared.Clone()).ParseFS(pageFiles, file))
		}
	}
	return p
}

// render answers with a page.
func (v *visit) render(name string, page any) error { return v.renderStatus(http.StatusOK, name, page) }

func (v *visit) renderStatus(status int, name string, page any) error {
	t := v.console.pages.byName[name]
	if t == nil {
		return fmt.Errorf("there is no page %q", name)
	}
	var b bytes.Buffer
	f := frame{User: v.user, Path: v.request().URL.Path, Base: v.baseURL(), Version: v.console.opts.Version, Page: page}
	if err := t.ExecuteTemplate(&b, "layout", f); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	return v.echo.HTMLBlob(status, b.Bytes())
}

// renderPiece answers with a part of a page.
func (v *visit) renderPiece(page, name string, data any) error {
	b, err := v.console.pages.piece(page, name, data)
	if err != nil {
		return err
	}
	return v.echo.HTMLBlob(http.StatusOK, b)
}

// piece renders one of the templates that make a part of a page, for what arrives later.
func (p *pages) piece(page, name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := p.byName[page].ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("render %s of %s: %w", name, page, err)
	}
	return b.Bytes(), nil
}

// stamp is a time for machines, clock one for people in UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
func clock(t time.Time) string { return t.UTC().Format("15:04:05") }

// ago says roughly how long a span is.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// words is a name of the protocols' own as people write it.
func words(status core.Status) string { return strings.ReplaceAll(string(status), "_", " ") }

// initial is the first letter of a name, for a badge.
func initial(name string) string {
	for _, r := range name {
		return strings.ToUpper(string(r))
	}
	return "?"
}

// navLink is an entry of the list of pages.
type navLink struct {
	Href, Text string
	Current    bool
}

// navItem makes one; it is current on its page and on those below it.
func navItem(path, href, text string) navLink {
	return navLink{Href: href, Text: text, Current: path == href || href != Prefix && strings.HasPrefix(path, href+"/")}
}

// span is a stretch of a text, set as code or not.
type span struct {
	Text string
	Code bool
}

// spans takes a text of the project's own apart at its backquotes.
func spans(text string) []span {
	var out []span
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, span{Text: part, Code: i%2 == 1})
		}
	}
	return out
}

// secret is something that is shown this once.
type secret struct{ Name, Value, Hint string }

func newSecret(name, value, hint string) secret { return secret{name, value, hint} }
