package console

import (
	"bytes"
	"context"
	"time"

	"go.uber.org/zap"

	"stele/internal/sse"
)

// part is a part of a page that is looked at again and again: the template that shows it, which is the name of its event too,
// and what that gets.
type part struct {
	Name string
	Data any
}

// renewed looks at who asks as that is now, for pages that stay open; false: the visitor is not signed in any more.
func (v *visit) renewed() bool {
	user, _, ok := v.console.node.AuthenticateUser(sessionOf(v.request()))
	if !ok || user.ID != v.user.ID {
		return false
	}
	v.user = user
	return true
}

// livePieces sends the parts of a page as they are at first and, every two seconds, those that have changed.
func (c *Console) livePieces(v *visit, page string, look func(context.Context) ([]part, error)) error {
	out, leave, err := v.stream()
	if err != nil {
		return err
	}
	defer leave()
	shown := map[string][]byte{}
	send := func() error {
		parts, err := look(out.Context())
		if err != nil {
			return err
		}
		var b []byte
		for _, p := range parts {
			piece, err := c.pages.piece(page, p.Name, p.Data)
			if err != nil {
				return err
			}
			if now, ok := shown[p.Name]; !ok || !bytes.Equal(now, piece) {
				shown[p.Name] = piece
				b = sse.Append(b, sse.Frame{Event: p.Name, Data: piece})
			}
		}
		if len(b) == 0 {
			return nil
		}
		return out.Write(b)
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if !v.renewed() {
			return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("signed out")}))
		}
		if err := send(); err != nil {
			c.log.Debug("live page broke off", zap.String("page", page), zap.Error(err))
			return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("gone")}))
		}
		select {
		case <-ticker.C:
		case <-out.Idle():
			if err := out.KeepAlive(); err != nil {
				return nil
			}
		case <-c.life.Done():
			return nil
		case <-out.Context().Done():
			return nil
		}
	}
}
