package edgefront

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
)

// Front serves agent sockets, event streams and calls from a node. It is safe for concurrent use. Each has goroutines of
// its own, which end with it; Drain ends all.
type Front struct {
	node    *core.Node
	ops     *operations.Registry
	opts    Options
	log     *zap.Logger
	echo    *echo.Echo
	buffers transport.Buffers
	frames  *frames
	methods methods
	open    *openSessions
	created *quota
	crowd   *crowd
	// strangers are the connections of those who are no members, by where they come from: whoever is a member is known, and what
	// anybody else may hold open is bounded.
	strangers *transport.Places
}

// New makes the front of a node. It takes four of the node's encoding slots.
func New(node *core.Node, ops *operations.Registry, o Options) *Front {
	o = o.withDefaults()
	f := &Front{
		node: node, ops: ops, opts: o, log: o.Logger,
		frames: newFrames(node, o.Logger), methods: methodsOf(ops), open: newOpenSessions(),
		created: newQuota(o.CreatesPerHour), crowd: newCrowd(node), strangers: transport.NewPlaces(o.StrangersPerNetwork),
	}
	// A node that stopped brings nothing any more, so its sessions must end.
	node.AfterDone(f.open.cut)
	f.echo = f.newEcho()
	return f
}

// Handler serves the protocol's paths, which begin at the root: whoever mounts it below a prefix strips the prefix.
func (f *Front) Handler() http.Handler { return f.echo }

// Drain refuses new connections and calls and ends the open ones, sockets with 1001 "agent going away", each after its call
// in flight was answered. Calls that have not begun are dropped. It returns when all are closed, after [Options.DrainTimeout] and a
// second at the latest.
func (f *Front) Drain() { f.open.drain(f.opts.DrainTimeout) }
