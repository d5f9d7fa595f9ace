package areyouaifront

import "stele/core"

// EventFrame returns the frame with which a room's event stream shows an event, byte for byte; nil for an event that this
// protocol has no word for. It is for those who look at a room in this script without a stream of their own.
func EventFrame(e *core.Entry) []byte { return encodeFrame(e) }
