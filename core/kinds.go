package core

// Kind names what an event says. Kinds are stored and never renamed.
type Kind string

// Events of a room's stream. Each is one step of the room's version.
const (
	RoomCreated      Kind = "room.created"
	MemberJoined     Kind = "member.joined"
	MemberLeft       Kind = "member.left"
	MessagePosted    Kind = "message.posted"
	RoomStateChanged Kind = "room.state_changed"
	RoomClosed       Kind = "room.closed"
)

// Events of an agent's stream.
const (
	SessionOpened        Kind = "session.opened"
	RoomTokenMinted      Kind = "room_token.minted"
	RoomTokenExtended    Kind = "room_token.extended"
	ContextAcked         Kind = "context.acked"
	ConnectionOpened     Kind = "connection.opened"
	ConnectionClosed     Kind = "connection.closed"
	ConnectionSubscribed Kind = "connection.subscribed"
)

// Events of the directory's stream.
const (
	TokenCreated    Kind = "token.created"
	AgentRegistered Kind = "agent.registered"
)
