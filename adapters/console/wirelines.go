package console

import (
	"bytes"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"stele/internal/strictjson"
	"stele/internal/typedjson"
)

// token is a stretch of a line of wire text; those that carry the same field of an event have the same one, whatever the
// script.
type token struct {
	Text string
	// Field is the field that the token carries, empty for none; Hue is its colour's number.
	Field string
	Hue   int
}

// line is a line of wire text.
type line []token

// maxDepth bounds how far the page sets in what a long line goes on with.
const maxDepth = 8

// Depth is how deep in its JSON a line begins, as far as the page tells that.
func (l line) Depth() int {
	if len(l) == 0 {
		return 0
	}
	text := l[0].Text
	return min((len(text)-len(strings.TrimLeft(text, " ")))/len(indent(1)), maxDepth)
}

// Bounds of the wire text that a page shows of an event in a script: one text in it, in characters, and all of it, in lines and
// in bytes of the page. A page's first load stays below 100 KB.
const (
	maxLeaf  = 600
	maxLines = 200
	maxSlab  = 12 << 10
	// fieldBytes is about what the page adds to a text to colour it.
	fieldBytes = 80
)

// layOut makes lines of the wire text of an event: every frame with its JSON laid out for people. fieldOf tells which field
// stands at a path below a frame's JSON.
func layOut(text []byte, fieldOf func(path string) string) []line {
	var out []line
	for raw := range bytes.Lines(text) {
		raw = bytes.TrimRight(raw, "\n")
		name, value, isField := bytes.Cut(raw, []byte(": "))
		switch {
		case len(raw) == 0:
		case raw[0] == '{':
			out = append(out, layOutJSON("", raw, fieldOf)...)
		case isField && string(name) == "data":
			out = append(out, layOutJSON("data: ", value, fieldOf)...)
		case isField:
			out = append(out, line{{Text: string(name) + ": "}, leaf(string(value), fieldOf(":"+string(name)))})
		default:
			out = append(out, line{{Text: string(raw)}})
		}
	}
	return bounded(out)
}

// bounded leaves away the lines that would make a page too large, and says how many they are.
func bounded(all []line) []line {
	size := 0
	for i, l := range all {
		for _, t := range l {
			if size += len(template.HTMLEscapeString(t.Text)); t.Field != "" {
				size += fieldBytes
			}
		}
		if i == maxLines || i > 0 && size > maxSlab {
			return append(all[:i:i], line{{Text: fmt.Sprintf("… and %d more lines", len(all)-i)}})
		}
	}
	return all
}

func layOutJSON(before string, raw []byte, fieldOf func(string) string) []line {
	v, err := typedjson.FromPlain(raw, typedjson.Limits{Bytes: 64 << 20, Depth: 1024, Members: 1 << 20})
	if err != nil {
		// What the fronts write is JSON; should it be too much to lay out, it stands as it is.
		return []line{{{Text: before + string(raw)}}}
	}
	p := &printer{fieldOf: fieldOf}
	p.text(before)
	p.value(v, "", 0, "")
	p.end()
	return p.lines
}

// printer lays out one value.
type printer struct {
	fieldOf func(path string) string
	lines   []line
	now     line
}

func (p *printer) text(s string) {
	if s != "" {
		p.now = append(p.now, token{Text: s})
	}
}

func (p *printer) end() {
	p.lines = append(p.lines, p.now)
	p.now = nil
}

// value prints a value at a path. after follows it: a comma, or nothing.
func (p *printer) value(v typedjson.Value, path string, depth int, after string) {
	switch {
	case v.Kind == typedjson.Object && len(v.Members) > 0:
		p.text("{")
		p.end()
		for i, m := range v.Members {
			p.text(indent(depth+1) + string(strictjson.AppendString(nil, m.Key)) + ": ")
			p.value(m.Value, path+"."+m.Key, depth+1, comma(i, len(v.Members)))
			p.end()
		}
		p.text(indent(depth) + "}" + after)
	case v.Kind == typedjson.Array && len(v.Items) > 0:
		p.text("[")
		p.end()
		for i, item := range v.Items {
			p.text(indent(depth + 1))
			p.value(item, path+"."+strconv.Itoa(i), depth+1, comma(i, len(v.Items)))
			p.end()
		}
		p.text(indent(depth) + "]" + after)
	default:
		p.now = append(p.now, leaf(string(v.AppendPlain(nil)), p.fieldOf(path)))
		p.text(after)
	}
}

func leaf(text, field string) token {
	short, more := cut(text, maxLeaf)
	if more {
		short += "…"
	}
	return token{Text: short, Field: field, Hue: hueOf(field)}
}

func indent(depth int) string { return strings.Repeat("  ", depth) }

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}
