package switchfront

import (
	"stele/core"
	agentswitch "stele/switch"
)

// EventFrame returns the frame with which a receiver's stream shows an event of a room, byte for byte; nil when it shows
// none. channelType is that of the room, empty when it is not known. It is for those who look at a room in this script
// without a stream of their own.
func EventFrame(e *core.Entry, receiver, channelType string) []byte {
	shown, notifies := relevance(e, receiver)
	if !shown {
		return nil
	}
	return agentswitch.AppendEventFrame(nil, eventIn(e, channelType, notifies))
}
