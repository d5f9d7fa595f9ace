package webhook

import (
	"errors"
	"strconv"
)

var (
	// ErrAddress reports an address that no webhook may reach from here. The delivery is tried again like after any
	// failure to connect: the name may resolve to something better by then.
	ErrAddress = errors.New("webhook: the address may not be reached")
	// ErrDelivery reports a delivery that can not be made into a request: a value that no header may hold, or a URL that
	// [Sender.Check] refuses. It is dead at once, for it would never be different.
	ErrDelivery = errors.New("webhook: the delivery can not be sent")
)

// TargetError reports an entry of [Options.LoopbackTargets] that is not host:port.
type TargetError struct {
	// Target is the entry.
	Target string
}

// Error implements error.
func (e *TargetError) Error() string {
	return "webhook: loopback target " + strconv.Quote(e.Target) + " is not host:port"
}
