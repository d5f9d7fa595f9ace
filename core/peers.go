package core

import "context"

// PeerHandler answers a request of another node. It must not block for long.
type PeerHandler func(ctx context.Context, request []byte) []byte

// Peers carries what is not worth a log entry between the nodes attached to one log: beats, typing. Nothing that must
// survive goes through it. A log that several nodes can attach to implements it beside [Log]; one for a single node need not.
type Peers interface {
	// Join makes the node reachable under its name until leave is called.
	Join(node string, handler PeerHandler) (leave func())
	// Request asks one node and waits for the answer. [ErrNoPeer] when nobody has joined under that name.
	Request(ctx context.Context, node string, request []byte) ([]byte, error)
}
