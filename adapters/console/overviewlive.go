package console

import (
	"context"

	"go.uber.org/zap"

	"stele/internal/sse"
)

// livePieces sends the parts of a page as they are at first and, every two seconds, those that have changed.
func (c *Console) livePieces(v *visit, page string, look func(context.Context) ([]part, error)) error {
	out, leave, err := v.stream()
	if err != nil {
		return err
	}
	defer leave()
	rounds := c.newRounds(out, lookEvery)
	defer rounds.stop()
	shown := shownParts{}
	for {
		if !v.stillIn() {
			return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("signed out")}))
		}
		parts, err := look(out.Context())
		if err == nil {
			err = rounds.tell(shown, page, parts...)
		}
		if err != nil {
			c.log.Debug("live page broke off", zap.String("page", page), zap.Error(err))
			return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("gone")}))
		}
		if turn, _ := rounds.next(nil, nil); turn == ended {
			return nil
		}
	}
}
