package memlog

import (
	"time"

	"stele/core"
)

// Options say how a [Store] behaves. The zero value is right for most.
type Options struct {
	// DropPayload makes reads and tails hand on no Payload, as a log does that was written by another process. It costs
	// a copy of every batch.
	DropPayload bool
	// IDs makes the log's identity; the zero value draws from the operating system.
	IDs core.IDs
	// Now is the clock the identity is stamped with; nil means time.Now.
	Now func() time.Time
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
