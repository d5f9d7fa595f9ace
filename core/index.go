package core

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"
)

// index is the projection of the whole log that look-ups need at once: who is a member where, which rooms and listings
// there are, which sessions and connections are open. It is written by the tail alone.
type index struct {
	mu sync.RWMutex
	s  indexState
	// byListing finds a room by its listing, bySession an agent by the hash of a session token, byRoomToken likewise.
	byListing   map[string]string
	byRoomToken map[string]roomTokenAt
	// byConnection finds the agent of a connection.
	byConnection map[string]string
	// atNode counts the connections whose streams live on a node.
	atNode map[string]int
	// holders are the agents whose newest hold on a role is in a room, by room.
	holders map[string]map[string]bool
	// byViewer finds the room of a viewer's token by its hash.
	byViewer map[string]string
	// inRoom are the members of each room, in the order of joining.
	inRoom map[string][]string
	// closed are the rooms that closed with content that is to be destroyed one day, and when they did; toErase are those
	// that were purged and whose content this node has not seen destroyed.
	closed  map[string]time.Time
	toErase map[string]struct{}
	// reports are the agents with a report about a room, by room.
	reports map[string]map[string]struct{}
	// textsStored tells that the stored snapshot may hold texts of purged rooms.
	textsStored bool
	// told are the agents with something new in their inboxes since the last flush, outboxChanged tells that notices may
	// have become due, and purgedChanged that a room was purged; they belong to the tail.
	told                         map[string]struct{}
	outboxChanged, purgedChanged bool
	// deadlines are the rooms that take messages and will expire.
	deadlines map[string]time.Time
	// deliveryLife is how long the deliveries derived here can be received.
	deliveryLife time.Duration
}

// indexState is what a snapshot of the index holds.
type indexState struct {
	At       Position                          `json:"at"`
	Rooms    map[string]*Summary               `json:"rooms"`
	Members  map[string]map[string][]*Interval `json:"members"`
	Sessions map[string]session                `json:"sessions"`
	Agents   map[string]*agentEntry            `json:"agents"`
	// Keys are the rooms in which idempotency keys were used first.
	Keys map[string]string `json:"keys"`
	// Leases are the roles that agents hold, by agent: the newest only, wherever it was taken.
	Leases map[string]roleHold `json:"leases,omitempty"`
	// Media are the messages that carry attachments, by the attachment's id.
	Media map[string]mediaPlace `json:"media,omitempty"`
	// Inboxes are the deliveries that wait, by agent; Outboxes the notices, by webhook.
	Inboxes  map[string]*inbox  `json:"inboxes,omitempty"`
	Outboxes map[string]*outbox `json:"outboxes,omitempty"`
	// Galleries are the viewers by room.
	Galleries map[string]*galleryEntry `json:"galleries,omitempty"`
}

// agentEntry is an agent's state with the position of its stream's newest event.
type agentEntry struct {
	State *AgentState `json:"state"`
	Head  Position    `json:"head"`
}

type session struct {
	Agent      string    `json:"agent"`
	Until      time.Time `json:"until"`
	Generation int       `json:"generation,omitempty"`
}

type roomTokenAt struct {
	agent, room string
	until       time.Time
	generation  int
}

// Summary is what is known of a room without loading it. A summary handed out is a copy.
type Summary struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Floor       Floor     `json:"floor"`
	State       RoomState `json:"state"`
	ReadPublic  bool      `json:"read_public,omitempty"`
	Archived    bool      `json:"archived,omitempty"`
	Listing     *Listing  `json:"listing,omitempty"`
	Connected   bool      `json:"connected,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	TTLAt       time.Time `json:"ttl_at"`
	// Head is the position of the room's newest event, Version its number.
	Head    Position `json:"head"`
	Version uint64   `json:"version"`
	// ChannelType is the kind of channel it presents itself as.
	ChannelType string `json:"channel_type"`
	// Group is the folder it is filed in, empty if none.
	Group string `json:"group,omitempty"`
	// Owner is whose room it is, empty if nobody's.
	Owner string `json:"owner,omitempty"`
	// Turn counts its messages. Sides, MaxTurns, ClosedAt and PurgedAt are as in [Room].
	Turn     int       `json:"turn,omitempty"`
	Sides    [2]string `json:"sides"`
	MaxTurns int       `json:"max_turns,omitempty"`
	ClosedAt time.Time `json:"closed_at"`
	PurgedAt time.Time `json:"purged_at"`
	// Purges: its content is destroyed some time after it closed. Erased: this was seen done.
	Purges bool `json:"purges,omitempty"`
	Erased bool `json:"erased,omitempty"`
	// Tasks counts the tasks that were ever delegated in it.
	Tasks int `json:"tasks,omitempty"`
	// Imported is as in [RoomFacts]; ImportedHead is the position of the last event that came with the room.
	Imported     *Imported `json:"imported,omitempty"`
	ImportedHead Position  `json:"imported_head,omitempty"`
}

// Interval is a time of membership: from the version of the join to that of leaving, 0 while it lasts.
type Interval struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to,omitempty"`
}

func newIndex(deliveryLife time.Duration) *index {
	x := &index{deliveryLife: deliveryLife, s: indexState{
		Rooms: map[string]*Summary{}, Members: map[string]map[string][]*Interval{},
		Sessions: map[string]session{}, Agents: map[string]*agentEntry{}, Keys: map[string]string{},
	}}
	x.relink()
	return x
}

// relink rebuilds the look-ups from the state.
func (x *index) relink() {
	x.byListing, x.byRoomToken, x.byConnection = map[string]string{}, map[string]roomTokenAt{}, map[string]string{}
	x.deadlines, x.holders = map[string]time.Time{}, map[string]map[string]bool{}
	x.atNode = map[string]int{}
	x.relinkRooms()
	for agent, h := range x.s.Leases {
		x.noteHolder(h.Room, agent)
	}
	for id, r := range x.s.Rooms {
		if r.Listing != nil {
			x.byListing[r.Listing.ID] = id
		}
		x.setDeadline(r)
	}
	for agent, entry := range x.s.Agents {
		a := entry.State
		for room, t := range a.Tokens {
			x.byRoomToken[t.Hash] = roomTokenAt{agent: agent, room: room, until: t.Until, generation: t.Generation}
		}
		for id, c := range a.Connections {
			x.byConnection[id] = agent
			x.atNode[c.Node]++
		}
	}
}

// needsPayload tells whether the index must see inside an event.
func needsPayload(rec *Recorded) bool {
	switch rec.Kind {
	case MessagePosted:
		return bytes.Contains(rec.Body, mediaField)
	case DocumentCreated, DocumentChanged:
		// They carry whole documents.
		return false
	}
	return true
}

// mediaField stands in the facts of a message with attachments, and in no others: they hold no free text.
var mediaField = []byte(`"media":[`)

// memberChange is an agent that became a member of a room, or is no longer one.
type memberChange struct {
	agent, room string
	span        Interval
}

// apply folds a batch in at once and returns who came and went.
func (x *index) apply(batch []Recorded) (changes []memberChange, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range batch {
		rec := &batch[i]
		x.s.At = rec.Position
		if id, ok := rec.Stream.RoomID(); ok {
			c, ok := x.applyRoom(id, rec)
			if ok {
				changes = append(changes, c)
			}
			if err := x.applyAround(id, rec); err != nil {
				return nil, err
			}
		} else if id, ok := rec.Stream.AgentID(); ok {
			x.applyAgent(id, rec)
		} else if id, ok := rec.Stream.viewersRoom(); ok {
			x.applyViewers(id, rec)
		}
	}
	return changes, nil
}

func (x *index) applyRoom(id string, rec *Recorded) (change memberChange, changed bool) {
	sum := x.s.Rooms[id]
	if created, ok := rec.Payload.(*RoomCreatedEvent); ok {
		sum = &Summary{
			ID: id, Name: created.Name, Description: created.Description, Floor: created.Floor, State: created.State,
			ReadPublic: created.ReadVisibility == "public", Listing: created.Listing, CreatedAt: rec.At,
			TTLAt: created.TTLAt, ChannelType: created.ChannelType, Group: created.Group, Owner: created.Owner,
			MaxTurns: created.MaxTurns, Purges: created.purges(),
		}
		x.s.Rooms[id] = sum
		if sum.Imported = created.Imported; sum.Imported != nil {
			// What was on offer elsewhere is not on offer here.
			sum.Listing = nil
		}
		if sum.Listing != nil {
			x.byListing[sum.Listing.ID] = id
		}
		x.setDeadline(sum)
	}
	if sum == nil {
		return memberChange{}, false
	}
	sum.Head, sum.Version = rec.Position, rec.Version
	if rec.Kind == MessagePosted {
		sum.Turn++
	}
	if r, ok := receiptOf(rec); ok {
		if _, used := x.s.Keys[r.scope()]; !used {
			x.s.Keys[r.scope()] = id
		}
	}
	if sum.Imported.holds(rec.Version) {
		return x.applyImported(sum, rec)
	}
	switch e := rec.Payload.(type) {
	case *MemberJoinedEvent:
		if x.s.Members[e.Agent] == nil {
			x.s.Members[e.Agent] = map[string][]*Interval{}
		}
		span := Interval{From: rec.Version}
		x.s.Members[e.Agent][id] = append(x.s.Members[e.Agent][id], &span)
		x.joined(sum, e)
		return memberChange{agent: e.Agent, room: id, span: span}, true
	case *MemberLeftEvent:
		if spans := x.s.Members[e.Agent][id]; len(spans) > 0 {
			x.dropHold(id, func(agent string, _ roleHold) bool { return agent == e.Agent })
			last := spans[len(spans)-1]
			last.To = rec.Version
			return memberChange{agent: e.Agent, room: id, span: *last}, true
		}
	case *RoomStateChangedEvent:
		sum.State = e.To
		x.setDeadline(sum)
	case *RoomClosedEvent:
		sum.ClosedAt = rec.At
		x.setEnding(sum)
	case *RoomPurgedEvent:
		x.applyPurged(sum, rec)
	case *MessagePostedEvent:
		x.noteMedia(id, e)
	case *TaskDelegatedEvent:
		sum.Tasks++
	case *ListingPublishedEvent:
		sum.Listing = e.listing(rec.At)
		x.byListing[e.Listing] = id
	case *ListingWithdrawnEvent:
		sum.Listing = nil
		delete(x.byListing, e.Listing)
	case *RoomChangedEvent:
		assign(&sum.Name, e.Name)
		assign(&sum.Description, e.Description)
		assign(&sum.Archived, e.Archived)
	case *RoleAssumedEvent:
		x.hold(e.Agent, roleHold{Room: id, RoleLease: e.lease(rec)})
	case *RoleReleasedEvent:
		x.dropHold(id, func(agent string, _ roleHold) bool { return agent == e.Agent })
	case *RoleDeletedEvent:
		x.dropHold(id, func(_ string, h roleHold) bool { return h.Role == e.Role })
	}
	return memberChange{}, false
}

func (x *index) setDeadline(r *Summary) {
	if r.TTLAt.IsZero() || r.State == StateClosed || r.State == StatePurged {
		delete(x.deadlines, r.ID)
		return
	}
	x.deadlines[r.ID] = r.TTLAt
}

// expired lists the rooms whose time to live has passed while they take messages.
func (x *index) expired(now time.Time) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for id, at := range x.deadlines {
		if now.After(at) {
			out = append(out, id)
		}
	}
	return out
}

func (x *index) applyAgent(id string, rec *Recorded) {
	entry := x.s.Agents[id]
	if entry == nil {
		entry = &agentEntry{State: &AgentState{}}
		x.s.Agents[id] = entry
	}
	a := entry.State
	entry.Head = rec.Position
	switch e := rec.Payload.(type) {
	case *SessionOpenedEvent:
		x.s.Sessions[e.Hash] = session{Agent: id, Until: e.Until, Generation: e.Generation}
	case *RoomTokenMintedEvent:
		if old, ok := a.Tokens[e.Room]; ok {
			delete(x.byRoomToken, old.Hash)
		}
		x.byRoomToken[e.Hash] = roomTokenAt{agent: id, room: e.Room, until: e.Until, generation: e.Generation}
	case *RoomTokenExtendedEvent:
		if t, ok := x.byRoomToken[e.Hash]; ok {
			t.until = e.Until
			x.byRoomToken[e.Hash] = t
		}
	case *ConnectionOpenedEvent:
		x.byConnection[e.ID] = id
		x.leaveNode(a.Connections[e.ID])
		x.atNode[e.Node]++
	case *ConnectionClosedEvent:
		x.leaveNode(a.Connections[e.ID])
		if x.byConnection[e.ID] == id {
			delete(x.byConnection, e.ID)
		}
		x.endHold(id, e.ID)
	case *AgentEndedEvent:
		x.forgetTokens(id, a)
		x.forgetTold(id, a)
	case *WebhookRemovedEvent, *WebhookTriedEvent, *WebhookSettledEvent:
		x.applyWebhook(rec)
	case *DeliveryAckedEvent:
		if b := x.s.Inboxes[id]; b != nil {
			b.acked(e.Position)
		}
	}
	a.Apply(rec)
	if e, ok := rec.Payload.(*RuntimeReportedEvent); ok {
		x.noteReport(id, e.Room)
	}
}

// keyRoom is the room in which a key was used first.
func (x *index) keyRoom(key *Key) (room string, used bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	room, used = x.s.Keys[key.scope()]
	return room, used
}

// head is the position of the stream's newest applied event, for the streams that readers follow.
func (x *index) head(stream Stream) Position {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if id, ok := stream.RoomID(); ok {
		if r := x.s.Rooms[id]; r != nil {
			return r.Head
		}
	}
	if id, ok := stream.AgentID(); ok {
		if a := x.s.Agents[id]; a != nil {
			return a.Head
		}
	}
	return 0
}

// agent returns a copy of an agent's state and the head of its stream.
func (x *index) agent(id string) (*AgentState, Position) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.s.Agents[id]
	if a == nil {
		return &AgentState{}, 0
	}
	return a.State.Clone(), a.Head
}

// summary returns a copy of what is known of a room.
func (x *index) summary(id string) (Summary, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := x.s.Rooms[id]
	if r == nil {
		return Summary{}, false
	}
	return *r, true
}

// roomsOf lists the rooms that an agent is a member of, oldest first.
func (x *index) roomsOf(agent string) []Summary {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []Summary
	for id, spans := range x.s.Members[agent] {
		if len(spans) > 0 && spans[len(spans)-1].To == 0 {
			out = append(out, *x.s.Rooms[id])
		}
	}
	slices.SortFunc(out, older)
	return out
}

// rooms lists every room, oldest first.
func (x *index) rooms() []Summary {
	x.mu.RLock()
	out := make([]Summary, 0, len(x.s.Rooms))
	for _, r := range x.s.Rooms {
		out = append(out, *r)
	}
	x.mu.RUnlock()
	slices.SortFunc(out, older)
	return out
}

func older(a, b Summary) int {
	if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// member tells whether the agent is in the room now.
func (x *index) member(agent, room string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	spans := x.s.Members[agent][room]
	return len(spans) > 0 && spans[len(spans)-1].To == 0
}

// spans copies the times of membership of an agent in every room it ever was in.
func (x *index) spans(agent string) map[string][]Interval {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make(map[string][]Interval, len(x.s.Members[agent]))
	for room, spans := range x.s.Members[agent] {
		for _, s := range spans {
			out[room] = append(out[room], *s)
		}
	}
	return out
}
