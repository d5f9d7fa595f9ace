package console

import (
	"strconv"
	"time"

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
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	over := func(why string) error { return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte(why)})) }
	for {
		if err := c.forwardTrace(t, out); err != nil {
			return err
		}
		select {
		case <-t.reader.Wake():
		case <-ticker.C:
			if !v.renewed() {
				return over("signed out")
			}
			if _, err := c.agentIn(v); err != nil {
				return over("gone")
			}
		case <-out.Idle():
			if err := out.KeepAlive(); err != nil {
				return err
			}
		case <-c.life.Done():
			return nil
		case <-out.Context().Done():
			return nil
		}
	}
}

// forwardTrace writes what lies behind the cursor.
func (c *Console) forwardTrace(t *trace, out *transport.EventStream) error {
	for {
		frames, more, err := t.read(out.Context())
		if err != nil || !more {
			return err
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
