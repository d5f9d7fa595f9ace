package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stele/internal/strictjson"
)

// media streams the content of an attachment from the lines that follow into the store.
func (r *reader) media(ctx context.Context, line []byte) error {
	var m mediaLine
	if err := strictjson.UnmarshalLimits(line, &m, lineLimits); err != nil {
		return err
	}
	switch {
	case !r.wanted[m.ID]:
		return wrong("no message has the attachment %.100q", m.ID)
	case r.had[m.ID]:
		return wrong("the attachment %.100q comes twice", m.ID)
	case m.Size < 0:
		return wrong("the size of an attachment is negative")
	}
	r.had[m.ID] = true
	content := &parts{lines: r.lines, left: m.Size}
	if r.o.Media == nil {
		_, err := io.Copy(io.Discard, content)
		return err
	}
	stored, err := r.o.Media.PutMedia(ctx, content)
	if content.err != nil {
		// The store adds words of its own.
		return content.err
	}
	if err != nil {
		return fmt.Errorf("attachment %.100q: %w", m.ID, err)
	}
	r.out.Media[m.ID] = stored
	return nil
}

// parts is the content that lies in the lines of a file.
type parts struct {
	lines *lines
	data  []byte
	// left is what is still to come, including data.
	left int64
	err  error
}

// Read implements [io.Reader].
func (p *parts) Read(b []byte) (int, error) {
	if p.err == nil && p.left == 0 {
		return 0, io.EOF
	}
	if p.err == nil && len(p.data) == 0 {
		p.err = p.more()
	}
	if p.err != nil {
		return 0, p.err
	}
	n := copy(b, p.data)
	p.data, p.left = p.data[n:], p.left-int64(n)
	return n, nil
}

func (p *parts) more() error {
	line, err := p.lines.next()
	if errors.Is(err, io.EOF) {
		return ErrCutOff
	}
	if err != nil {
		return err
	}
	var l partLine
	if err := strictjson.UnmarshalLimits(line, &l, lineLimits); err != nil {
		return p.lines.fail(err)
	}
	if l.Stele != markPart || len(l.Data) == 0 || int64(len(l.Data)) > p.left {
		return p.lines.fail(wrong("a piece of an attachment is missing, empty or too long"))
	}
	p.data = l.Data
	return nil
}
