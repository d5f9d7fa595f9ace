package switchfront

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
	agentswitch "stele/switch"
)

// DefaultMaxBody is the size in bytes of the largest request body that is read.
const DefaultMaxBody = 1 << 20

// Options configure a front. The zero value is right.
type Options struct {
	// Version is the release that clients are told. Empty: they are told that it is unknown.
	Version string
	// KeepAlive is the silence on a stream after which a comment is written. Default 15 s, the protocol's.
	KeepAlive time.Duration
	// ProgressTimeout is how long a client may take nothing from its stream before it loses it. Default 30 s.
	ProgressTimeout time.Duration
	// MaxBody is the size in bytes of the largest request body that is read, but for operations that take whole documents.
	// Default 1 MiB, which is also the most.
	MaxBody int64
	// Logger receives what an operator should know; nil: nothing is logged. No secret is ever logged.
	Logger *zap.Logger
}

func (o Options) withDefaults() Options {
	if o.KeepAlive <= 0 {
		o.KeepAlive = agentswitch.KeepaliveInterval
	}
	if o.ProgressTimeout <= 0 {
		o.ProgressTimeout = transport.DefaultProgressTimeout
	}
	if o.MaxBody <= 0 || o.MaxBody > DefaultMaxBody {
		o.MaxBody = DefaultMaxBody
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return o
}

// Front serves the Switch agent protocol on a node. It is safe for concurrent use.
type Front struct {
	node   *core.Node
	ops    *operations.Registry
	opts   Options
	server agentswitch.ServerInfo
	// catalog is the answer of GET …/ops, which never changes.
	catalog []byte
	router  *echo.Echo

	frames  frames
	storms  *storms
	streams streams
	batches sync.Pool
	polls   pollCount
	// judge gives the verdicts of mediation, each within mediationTimeout.
	judge            judge
	mediationTimeout time.Duration

	drainOnce sync.Once
	drained   chan struct{}
}

// New makes a front. It panics when the node has no places for encodings left, which is the program's mistake.
func New(node *core.Node, ops *operations.Registry, o Options) *Front {
	o = o.withDefaults()
	f := &Front{
		node: node, ops: ops, opts: o,
		server:  agentswitch.NewServerInfo(o.Version, protocolRange()),
		catalog: encodeCatalog(ops),
		frames:  newFrames(node),
		drained: make(chan struct{}),
		polls:   pollCount{byAgent: map[string]int{}}, mediationTimeout: agentswitch.MediationTimeout,
	}
	f.judge = f.registered
	f.storms = newStorms(time.Now, f.sleep)
	f.batches.New = func() any { return new(batch) }
	// A node that stopped delivers nothing, so its streams must end.
	node.AfterDone(f.streams.wake)
	f.router = f.routes()
	return f
}

// Handler serves the routes at the root of the paths it is given; a gateway that mounts it below a prefix strips that.
func (f *Front) Handler() http.Handler { return f.authenticated(f.router) }

// Routes lists the routes as "METHOD /path/:variable", sorted. Those that only refuse are not among them.
func (f *Front) Routes() []string {
	var out []string
	for _, r := range f.router.Routes() {
		if r.Name != refusing {
			out = append(out, r.Method+" "+r.Path)
		}
	}
	slices.Sort(out)
	return out
}

// Drain ends every stream and refuses new ones. The protocol's goodbye is the orderly end of the response: an "evicted"
// would say that the connection is gone, but it and its claims outlive the restart of a gateway, and a client reopens a
// stream that ended. Drain does not wait; the server's shutdown does.
func (f *Front) Drain() {
	f.drainOnce.Do(func() { close(f.drained) })
	f.streams.wake()
}

func (f *Front) draining() bool {
	select {
	case <-f.drained:
		return true
	default:
		return false
	}
}

func protocolRange() agentswitch.Range {
	return agentswitch.Range{Speaks: agentswitch.ProtocolSpeaks, Accepts: agentswitch.ProtocolAccepts}
}

// sleep waits, unless the context or the front ends first.
func (f *Front) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-f.drained:
		return core.ErrDraining
	case <-ctx.Done():
		return ctx.Err()
	}
}
