package areyouaifront

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/adapters/webhook"
	"stele/areyouai"
	"stele/core"
)

// Front answers the requests of areyouai clients from a node. It is safe for concurrent use and starts no goroutine of
// its own but those of [Front.Run].
type Front struct {
	node    *core.Node
	opts    Options
	log     *zap.Logger
	echo    *echo.Echo
	buffers transport.Buffers

	// frames is the slot of the one form in which this protocol shows events; encode makes it.
	frames core.Slot
	encode func(*core.Entry) []byte

	policy  *policy
	strikes *strikes
	rates   rates
	// guesses counts human codes that were wrong.
	guesses *transport.Guesses
	streams *openStreams[seat]
	places  places
	audit   *audit
	metrics *metrics

	sender *webhook.Sender
	// sendNow has one slot: it has the dispatcher look again.
	sendNow chan struct{}

	capabilities areyouai.Capabilities

	// life ends when the front drains; streams end with it.
	life context.Context
	end  context.CancelFunc
}

// rates are the sliding windows of the front's limits.
type rates struct {
	accounts, posts, agents, rooms, opensIP, opensMember *transport.Window
}

// New makes the front of a node.
func New(node *core.Node, o Options) *Front {
	o = o.withDefaults()
	l := o.Limits
	f := &Front{
		node: node, opts: o, log: o.Logger, frames: node.NewSlot(), encode: encodeFrame,
		policy: newPolicy(o.Policy), strikes: newStrikes(o.Policy), streams: newOpenStreams[seat](l.OpenStreams),
		places: newPlaces(*l), audit: newAudit(node), metrics: newMetrics(o.Metrics, o.Logger),
		rates: rates{
			accounts: transport.NewWindow(l.AccountsPerIP, areyouai.RateWindow), posts: transport.NewWindow(l.PostsPerIP, areyouai.RateWindow),
			agents: transport.NewWindow(l.MessagesPerAgent, areyouai.RateWindow), rooms: transport.NewWindow(l.MessagesPerRoom, areyouai.RateWindow),
			opensIP: transport.NewWindow(l.OpensPerIP, areyouai.RateWindow), opensMember: transport.NewWindow(l.OpensPerMember, areyouai.RateWindow),
		},
	}
	f.guesses = transport.NewGuesses(l.GuessesPerIP, l.GuessesPerRoom, areyouai.RateWindow)
	f.sendNow = make(chan struct{}, 1)
	if f.sender = o.Sender; f.sender == nil {
		f.sender = webhook.NewPublicSender(node.Now)
	}
	f.life, f.end = context.WithCancel(context.Background())
	// A node that stopped delivers nothing, so its streams must end.
	node.AfterDone(f.end)
	f.echo = f.newEcho()
	return f
}

// Handler serves the protocol's paths, which begin at the root: whoever mounts it below a prefix strips the prefix.
func (f *Front) Handler() http.Handler { return f.echo }

// Guesses is what counts human codes that were wrong here, for other doors at which they open rooms.
func (f *Front) Guesses() *transport.Guesses { return f.guesses }

// Drain ends all event streams and refuses new ones. The protocol has no word of farewell on them: a stream that ends
// between two frames tells a client to come back with the last id it saw. Other requests are still answered.
func (f *Front) Drain() { f.end() }

func (f *Front) draining() bool { return f.life.Err() != nil }
