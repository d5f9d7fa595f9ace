package core

import (
	"time"

	"go.uber.org/zap"
)

const (
	// mediaSweep is the pace at which content that no message has is looked for.
	mediaSweep = time.Hour
	// mediaOrphanAge is how old such content must be: no upload takes that long, and what does is held.
	mediaOrphanAge = time.Hour
)

// sweepMedia destroys content that was stored for a message which was never posted: its upload was cut off by the end of
// the process.
func (n *Node) sweepMedia() {
	if n.opts.Media == nil {
		return
	}
	var orphans []string
	for id, err := range n.opts.Media.Stored(n.ctx, n.now().Add(-mediaOrphanAge)) {
		if err != nil {
			n.zap.Warn("stored media could not be listed", zap.Error(err))
			break
		}
		if _, used := n.index.mediaPlace(id); !used && !n.mediaHolds.holds(id) {
			orphans = append(orphans, id)
		}
	}
	if err := n.DropMedia(n.ctx, orphans...); err != nil && n.ctx.Err() == nil {
		n.zap.Warn("orphaned media was not destroyed", zap.Int("count", len(orphans)), zap.Error(err))
	}
}
