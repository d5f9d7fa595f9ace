package typedjson

import (
	"bytes"
	"errors"
	"fmt"

	"stele/internal/strictjson"
)

// Parse reads typed JSON. Of a key that comes twice the last value counts, in the place of the first. Halves of surrogate
// pairs become U+FFFD, or are refused, as the limits say. Errors: [ErrTooLarge], [ErrTooDeep], [ErrTooMany], [ErrKey],
// [ErrType], and those of [strictjson.Check].
func Parse(text []byte, lim Limits) (Value, error) { return parse(text, lim, true) }

// FromPlain reads JSON that knows no types: every value stands for itself, and an object that looks like a typed value is a
// plain object. Its text as typed JSON keeps to the limits, too. Errors: those of [Parse] but for [ErrType].
func FromPlain(text []byte, lim Limits) (Value, error) {
	v, err := parse(text, lim, false)
	if err != nil {
		return Value{}, err
	}
	return v, v.Check(lim)
}

func parse(text []byte, lim Limits, typed bool) (Value, error) {
	lim = lim.withDefaults()
	switch err := strictjson.Check(text, strictjson.Limits{MaxBytes: lim.Bytes, MaxDepth: lim.Depth, WholeText: lim.WholeText}); {
	case errors.Is(err, strictjson.ErrTooDeep):
		return Value{}, ErrTooDeep
	case errors.Is(err, strictjson.ErrTooLarge):
		return Value{}, ErrTooLarge
	case err != nil:
		return Value{}, fmt.Errorf("typedjson: %w", err)
	}
	p := parser{text: text, left: lim.Members}
	v, err := p.value()
	if err != nil || !typed {
		return v, err
	}
	return revive(v)
}

// parser walks a text that is known to be JSON, so it checks no grammar.
type parser struct {
	text []byte
	at   int
	// left is how many values there may still be.
	left int
}

func (p *parser) space() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n"), p.text[p.at]) >= 0 {
		p.at++
	}
}

// next skips white space and returns the byte that follows, without taking it.
func (p *parser) next() byte {
	p.space()
	return p.text[p.at]
}

func (p *parser) value() (Value, error) {
	if p.left--; p.left < 0 {
		return Value{}, ErrTooMany
	}
	switch c := p.next(); c {
	case '{':
		return p.object()
	case '[':
		items, err := p.items()
		return Value{Kind: Array, Items: items}, err
	case '"':
		s, err := p.str()
		return Value{Kind: String, Text: s}, err
	case 'n':
		p.at += len("null")
		return Value{}, nil
	case 't':
		p.at += len("true")
		return Value{Kind: Bool, Text: "true"}, nil
	case 'f':
		p.at += len("false")
		return Value{Kind: Bool, Text: "false"}, nil
	}
	start := p.at
	for p.at < len(p.text) && bytes.IndexByte([]byte("+-.eE0123456789"), p.text[p.at]) >= 0 {
		p.at++
	}
	return Value{Kind: Number, Text: string(p.text[start:p.at])}, nil
}

func (p *parser) str() (string, error) {
	start := p.at
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	quoted := p.text[start:p.at]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	var s string
	if err := strictjson.UnmarshalLimits(quoted, &s, strictjson.Limits{MaxBytes: len(quoted)}); err != nil {
		return "", fmt.Errorf("typedjson: %w", err)
	}
	return s, nil
}

func (p *parser) items() ([]Value, error) {
	p.at++
	var items []Value
	for p.next() != ']' {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		if p.next() == ',' {
			p.at++
		}
	}
	p.at++
	return items, nil
}

func (p *parser) object() (Value, error) {
	p.at++
	var o builder
	for p.next() != '}' {
		key, err := p.str()
		if err != nil {
			return Value{}, err
		}
		if HostileKey(key) {
			return Value{}, ErrKey
		}
		p.next()
		p.at++
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		o.put(key, v)
		if p.next() == ',' {
			p.at++
		}
	}
	p.at++
	return Value{Kind: Object, Members: o.members}, nil
}
