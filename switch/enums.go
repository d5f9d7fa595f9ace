package agentswitch

// Scope says which rooms a connection covers.
type Scope string

// The two scopes. A single connection covers the one room it claimed; an all
// connection covers its claims and every room no live sibling has claimed.
const (
	ScopeSingle Scope = "single"
	ScopeAll    Scope = "all"
)

// Filter says which events of the covered rooms a connection receives.
type Filter string

// The two filters.
const (
	FilterAll       Filter = "all"
	FilterAddressed Filter = "addressed"
)

// ConnectionModel says how an agent stays reachable.
type ConnectionModel string

// The four models of an integration profile.
const (
	ModelAlwaysOn           ConnectionModel = "always_on"
	ModelSessionAddressable ConnectionModel = "session_addressable"
	ModelSessionPassive     ConnectionModel = "session_passive"
	ModelAutoSession        ConnectionModel = "auto_session"
)

// Status is an agent's availability in a room.
type Status string

// The status values. StatusNotPermitted appears only in target_statuses.
const (
	StatusLive               Status = "live"
	StatusDisconnected       Status = "disconnected"
	StatusAwaitingManualPoll Status = "awaiting_manual_poll"
	StatusNoSession          Status = "no_session"
	StatusDormant            Status = "dormant"
	StatusNotPermitted       Status = "not_permitted"
)

// Presence is what the status of an agent in a room is computed from.
type Presence struct {
	// Connected: the agent has any live connection.
	Connected bool
	// Claimed: one of them has claimed the room.
	Claimed bool
	// SpawnCapable: a live connection that can start sessions covers the room.
	SpawnCapable bool
}

// StatusOf returns the status of an agent with the given model; an unknown or
// empty model counts as session_passive. Merely covering a room never makes a
// session-shaped agent live there.
func StatusOf(model ConnectionModel, p Presence) Status {
	switch model {
	case ModelAlwaysOn:
		if p.Connected {
			return StatusLive
		}
		return StatusDisconnected
	case ModelSessionAddressable:
		switch {
		case p.Claimed:
			return StatusLive
		case p.SpawnCapable:
			return StatusDormant
		default:
			return StatusNoSession
		}
	case ModelAutoSession:
		switch {
		case p.Claimed:
			return StatusLive
		case p.Connected:
			return StatusDormant
		default:
			return StatusDisconnected
		}
	default:
		return StatusAwaitingManualPoll
	}
}

// The channel types of a room; a room without one has ChannelPublic.
const (
	ChannelPublic  = "channel_public"
	ChannelPrivate = "channel_private"
	ChannelDirect  = "direct"
	ChannelGroup   = "group"
	ChannelLobby   = "lobby"
)

// Kinds of participants, of history entries and of access to a linked room.
const (
	ParticipantAgent = "agent"
	ParticipantUser  = "user"

	EntryMessage  = "message"
	EntryRoomJoin = "room_join"

	AccessMember    = "member"
	AccessNotMember = "not_member"
)
