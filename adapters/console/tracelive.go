package console

import (
	"errors"
	"strconv"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/internal/sse"
)

// liveTrace sends an agent's frames as they come: "frame" for each, with its position in the log as the id.
func (c *Console) liveTrace(v *visit, t *trace) error {
	out, leave, err := v.stream()
	if err != nil {
		return err
	}
	defer leave()
	if err := c.runTrace(v, t, out); err != nil {
		c.log.Debug("live trace broke off", zap.String("agent", t.agent), zap.Error(err))
	}
	return nil
}

func (c *Console) runTrace(v *visit, t *trace, out *transport.EventStream) error {
	rounds := c.newRounds(out, lookEvery)
	defer rounds.stop()
	for {
		err := c.forwardTrace(v, t, out)
		if errors.Is(err, errOver) {
			return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("gone")}))
		}
		if err != nil {
			return err
		}
		if turn, err := rounds.next(t.reader.Wake(), nil); err != nil || turn == ended {
			return err
		}
	}
}

// forwardTrace writes what lies behind the cursor, as long as the visitor may see the agent.
func (c *Console) forwardTrace(v *visit, t *trace, out *transport.EventStream) error {
	for {
		frames, more, err := t.read(out.Context())
		if err != nil {
			return err
		}
		if !v.stillIn() {
			return errOver
		}
		if _, err := c.agentIn(v); err != nil {
			return errOver
		}
		if !more {
			return nil
		}
		var b []byte
		for _, f := range frames {
			piece, err := c.pages.piece("trace", "frame", f)
			if err != nil {
				return err
			}
			b = sse.Append(b, sse.Frame{ID: strconv.FormatUint(uint64(f.Position), 10), Event: "frame", Data: piece})
		}
		if len(b) == 0 {
			continue
		}
		if err := out.Write(b); err != nil {
			return err
		}
	}
}
