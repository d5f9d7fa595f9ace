package core

import "context"

// Evaluate lets what time has done to a room take effect before anybody is told how the room stands: a passed time to live
// closes it, a passed grace purges it (areyouai: room state machine, evaluation on every access, one step at a time). For a
// room with which neither is the matter, or that there is not, it costs a look-up.
func (n *Node) Evaluate(ctx context.Context, room string) error { return n.expireFirst(ctx, room) }
