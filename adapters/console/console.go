package console

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
)

// Prefix is the path below which the console's pages lie.
const Prefix = "/gateway"

// Console serves the pages from a node. It is safe for concurrent use and starts no goroutine.
type Console struct {
	node   *core.Node
	ops    *operations.Registry
	opts   Options
	log    *zap.Logger
	echo   *echo.Echo
	pages  *pages
	assets *assets
	gate   *gate

	// life ends when the console drains; live streams end with it.
	life context.Context
	end  context.CancelFunc
}

// New makes the console of a node.
func New(node *core.Node, ops *operations.Registry, o Options) *Console {
	o = o.withDefaults()
	c := &Console{node: node, ops: ops, opts: o, log: o.Logger, assets: loadAssets(), gate: newGate(node.Now, o)}
	c.pages = loadPages(c.assets)
	c.life, c.end = context.WithCancel(context.Background())
	node.AfterDone(c.end)
	c.echo = c.newEcho()
	return c
}

// Handler serves everything below [Prefix] and [WatchPrefix].
func (c *Console) Handler() http.Handler { return c.echo }

// Drain ends all live streams. The pages open them again by themselves, at the next gateway.
func (c *Console) Drain() { c.end() }
