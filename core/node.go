package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Options configure a node. The zero value is right for a single node without snapshots.
type Options struct {
	// NodeID names the node among those attached to the same log. Default "local". Two nodes of one log need two names.
	NodeID string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// IDs makes ids and secrets; the zero value draws on the operating system.
	IDs IDs
	// Logger receives what an operator should know; nil: nothing is logged. No secret is ever logged.
	Logger *zap.Logger
	// Snapshots caches folded state; nil: every start folds the whole log.
	Snapshots Snapshots
	// Media keeps attachments; nil: messages have none.
	Media MediaStore
	// IdleAfter is how long a room without readers and commands stays in memory. Default 5 min.
	IdleAfter time.Duration
	// SnapshotEvery is how many events lie between two snapshots of the index. Default 20,000.
	SnapshotEvery int
	// SweepEvery is the pace of housekeeping: lapsed leases, expired rooms, idle rooms. Default 2 s (Switch protocol: the
	// connection sweep).
	SweepEvery time.Duration
	// LeaseTTL is how long a connection lives without a beat. Default 6 s (Switch protocol: heartbeat TTL).
	LeaseTTL time.Duration
	// RetainEvents and RetainAge bound what a reader of an agent's rooms may ask for again. Defaults DefaultRetainEvents and
	// DefaultRetainAge.
	RetainEvents int
	RetainAge    time.Duration
	// Lives are how long credentials, viewers, deliveries and claims live. The nodes of one log should be told the same.
	Lives Lives
	// Purge says when the content of closed rooms is destroyed.
	Purge PurgePolicy
	// Listings bound the listings that are made through operations.
	Listings ListingLimits
}

// Defaults of what an agent may read again.
const (
	DefaultRetainEvents = 10_000
	DefaultRetainAge    = 7 * 24 * time.Hour
)

func (o Options) withDefaults() Options {
	setDefault(&o.NodeID, "local")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	setDefault(&o.IdleAfter, 5*time.Minute)
	setDefault(&o.SnapshotEvery, 20_000)
	setDefault(&o.SweepEvery, 2*time.Second)
	setDefault(&o.LeaseTTL, 6*time.Second)
	setDefault(&o.RetainEvents, DefaultRetainEvents)
	setDefault(&o.RetainAge, DefaultRetainAge)
	o.Lives = o.Lives.withDefaults()
	o.Listings = o.Listings.withDefaults()
	o.Purge = o.Purge.withDefaults(o.Lives.HumanCode)
	return o
}

// Node runs the circle that a message travels: it decides commands, appends their events, applies what the log's tail
// yields, and wakes the readers. Several nodes may be attached to one log.
type Node struct {
	opts Options
	log  Log
	ids  IDs
	zap  *zap.Logger

	index  *index
	hub    *hub
	blocks *blocks
	beats  *beats
	keys   *heldKeys
	// sightings are the agents that were heard of without a connection.
	sightings *sightings
	// attendance are the sockets and streams of agents that have no connection.
	attendance *attendance
	// inboxes are the readers of deliveries, outboxWake has a signal for whoever sends notices.
	inboxes    inboxReaders
	outboxWake chan struct{}
	// purgeNow has a signal when closed rooms are to be looked at, or content of purged ones is to be destroyed.
	purgeNow chan struct{}
	// People that were heard of, who writes now, deleted agents that may not be gone everywhere, and contents that are held.
	watching   watching
	typists    typists
	departed   departed
	mediaHolds mediaHolds

	mu        sync.RWMutex
	rooms     map[string]*cell[*Room]
	agents    map[string]*cell[*AgentState]
	galleries map[string]*cell[*Gallery]
	directory *cell[*Directory]

	// life is the number of the log's present life.
	life int
	// applied is the newest position that the tail applied.
	applied  atomic.Uint64
	progress progress
	// snapAt is the head at the newest attempt to store the index.
	snapAt    atomic.Uint64
	conflicts atomic.Int64
	refusing  atomic.Bool
	// refusal is why the newest append that failed did.
	refusal atomic.Pointer[error]
	// traffic counts what passes the tail, deliveries how fast serving readers take it.
	traffic    traffic
	deliveries deliveries
	serving    serving
	// settled are the signals of the streams that the tail's current batch changed; it belongs to the tail.
	settled []chan struct{}
	snapNow chan struct{}
	// savingIndex is held while the index is stored, so that none from before a purge is stored after it.
	savingIndex sync.Mutex

	// ctx ends the tail, the housekeeping and the queues; work joins them.
	ctx    context.Context
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	// inflight counts commands; gate refuses new ones once draining has begun.
	gate     sync.Mutex
	draining bool
	ended    bool
	inflight int
	drained  chan struct{}
	closed   chan struct{}

	leavePeers func()
}

// Open attaches a node to a log and returns when everything that was committed before is applied. The log stays the
// caller's; it must be closed after the node.
func Open(ctx context.Context, log Log, opts Options) (*Node, error) {
	opts = opts.withDefaults()
	n := &Node{
		opts: opts, log: log, ids: opts.IDs, zap: opts.Logger, index: newIndex(opts.Lives.Delivery), hub: newHub(), blocks: newBlocks(),
		rooms: map[string]*cell[*Room]{}, agents: map[string]*cell[*AgentState]{},
		drained: make(chan struct{}), closed: make(chan struct{}), snapNow: make(chan struct{}, 1), outboxWake: make(chan struct{}, 1),
		purgeNow: make(chan struct{}, 1),
	}
	n.life = len(log.Lives())
	n.watching.life = opts.Lives.Viewer
	n.keys = newHeldKeys()
	n.beats = newBeats(opts.Now, opts.LeaseTTL)
	n.sightings = newSightings(n.now)
	n.attendance = newAttendance()
	n.ctx, n.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	n.directory = newCell(n, DirectoryStream, &Directory{}, 0)
	close(n.directory.ready)
	n.loadIndex(ctx)
	if err := n.start(ctx); err != nil {
		n.cancel(err)
		n.work.Wait()
		return nil, err
	}
	return n, nil
}

// start begins the goroutines of a node: the tail, the pulse, the snapshots, the housekeeping and the purges. Each queue with
// commands in it is one more. All end with n.ctx and are joined by n.work.
func (n *Node) start(ctx context.Context) error {
	head, err := n.log.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the log's head: %w", err)
	}
	n.traffic.start(Position(n.applied.Load()), n.now())
	caughtUp := make(chan struct{})
	n.work.Go(func() { n.runTail(Position(n.applied.Load()), head, caughtUp) })
	select {
	case <-caughtUp:
	case <-n.ctx.Done():
		return context.Cause(n.ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
	n.work.Go(n.runPulse)
	n.adoptConnections()
	n.adoptViewers()
	n.findDeparted()
	if peers, ok := n.log.(Peers); ok {
		n.leavePeers = peers.Join(n.opts.NodeID, n.answerPeer)
	}
	n.work.Go(n.runSnapshots)
	n.work.Go(n.runSweep)
	n.work.Go(n.runPurges)
	return nil
}

// Close refuses new commands, waits for those in flight until ctx ends, stores snapshots and ends all goroutines.
func (n *Node) Close(ctx context.Context) error {
	n.gate.Lock()
	if n.draining {
		n.gate.Unlock()
		<-n.closed
		return nil
	}
	defer close(n.closed)
	n.draining = true
	if n.inflight == 0 {
		close(n.drained)
	}
	n.gate.Unlock()
	var err error
	select {
	case <-n.drained:
	case <-ctx.Done():
		select {
		case <-n.drained:
			// There was nothing to wait for.
		default:
			err = ctx.Err()
		}
	}
	if n.leavePeers != nil {
		n.leavePeers()
	}
	if err == nil {
		n.saveAll(ctx)
	}
	n.gate.Lock()
	n.ended = true
	n.gate.Unlock()
	n.cancel(ErrDraining)
	n.work.Wait()
	return err
}

// spawn starts a goroutine of the node, unless the node has ended.
func (n *Node) spawn(fn func()) bool {
	n.gate.Lock()
	defer n.gate.Unlock()
	if n.ended {
		return false
	}
	n.work.Go(fn)
	return true
}

// enter counts a command in; false: the node takes no more.
func (n *Node) enter() bool {
	n.gate.Lock()
	defer n.gate.Unlock()
	if n.draining {
		return false
	}
	n.inflight++
	return true
}

func (n *Node) leave() {
	n.gate.Lock()
	defer n.gate.Unlock()
	n.inflight--
	if n.draining && n.inflight == 0 {
		close(n.drained)
	}
}

// Err tells why the node stopped by itself: the tail met damage or the log was closed. Nil while it runs.
func (n *Node) Err() error {
	if err := context.Cause(n.ctx); err != nil && !errors.Is(err, ErrDraining) {
		return err
	}
	return nil
}

// Done is closed when the node has stopped.
func (n *Node) Done() <-chan struct{} { return n.ctx.Done() }

// Stopped tells whether the node has stopped.
func (n *Node) Stopped() bool { return n.ctx.Err() != nil }

// AfterDone calls fn in a goroutine of its own once the node has stopped.
func (n *Node) AfterDone(fn func()) { context.AfterFunc(n.ctx, fn) }

// Applied is the newest position that the node has applied: its head, as readers see it.
func (n *Node) Applied() Position { return Position(n.applied.Load()) }

// LogID is the identity of the log.
func (n *Node) LogID() string { return n.log.ID() }

// Conflicts counts how often another node wrote first and a batch was decided again.
func (n *Node) Conflicts() int64 { return n.conflicts.Load() }

// noteAppend tells the operator when the log stops taking writes, and when it takes them again. Reading goes on meanwhile.
func (n *Node) noteAppend(err error) {
	switch {
	case err != nil && n.ctx.Err() == nil:
		n.refusal.Store(&err)
		if n.refusing.CompareAndSwap(false, true) {
			n.zap.Error("the log takes no writes; commands are refused and reading goes on", zap.Error(err))
		}
	case err == nil && n.refusing.Load():
		if n.refusing.CompareAndSwap(true, false) {
			n.zap.Info("the log takes writes again")
		}
	}
}

// Refusing tells whether the newest append failed: the node reads and takes no commands.
func (n *Node) Refusing() bool { return n.refusing.Load() }

// Now is the node's clock, in UTC and whole milliseconds.
func (n *Node) Now() time.Time { return n.now() }

// IDs is the node's source of ids and secrets.
func (n *Node) IDs() IDs { return n.ids }

// ID is the node's name among those attached to the log.
func (n *Node) ID() string { return n.opts.NodeID }

func (n *Node) now() time.Time { return millis(n.opts.Now()) }

// LoadedRooms is how many rooms are in memory.
func (n *Node) LoadedRooms() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.rooms)
}

// loadedRoom returns a room that is in memory, whole, or nil.
func (n *Node) loadedRoom(id string) *cell[*Room] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	c := n.rooms[id]
	if c == nil {
		return nil
	}
	select {
	case <-c.ready:
		return c
	default:
		return nil
	}
}
