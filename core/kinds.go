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
	RoomPurged       Kind = "room.purged"

	RoomChanged       Kind = "room.changed"
	RoleDefined       Kind = "role.defined"
	RoleEdited        Kind = "role.edited"
	RoleDeleted       Kind = "role.deleted"
	RoleAssumed       Kind = "role.assumed"
	RoleReleased      Kind = "role.released"
	LinkAdded         Kind = "link.added"
	LinkRemoved       Kind = "link.removed"
	ReferenceAttached Kind = "reference.attached"
	DocumentCreated   Kind = "document.created"
	DocumentChanged   Kind = "document.changed"
	DocumentDeleted   Kind = "document.deleted"
	TaskDelegated     Kind = "task.delegated"
	TaskAccepted      Kind = "task.accepted"
	TaskUpdated       Kind = "task.updated"
	TaskFinalised     Kind = "task.finalised"
	TaskCancelled     Kind = "task.cancelled"
	CommandSent       Kind = "command.sent"
	StatePatched      Kind = "state.patched"
	StateReplaced     Kind = "state.replaced"
	EventEmitted      Kind = "event.emitted"
	ListingPublished  Kind = "listing.published"
	ListingWithdrawn  Kind = "listing.withdrawn"
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
	RuntimeReported      Kind = "runtime.reported"
	PollerMoved          Kind = "poller.moved"
	AgentEnded           Kind = "agent.ended"
	DeliveryAcked        Kind = "delivery.acked"
	WebhookAdded         Kind = "webhook.added"
	WebhookRemoved       Kind = "webhook.removed"
	WebhookTried         Kind = "webhook.tried"
	WebhookSettled       Kind = "webhook.settled"
)

// Events of the stream of a room's viewers.
const (
	ViewerJoined Kind = "viewer.joined"
	ViewerLeft   Kind = "viewer.left"
)

// Events of the directory's stream.
const (
	TokenCreated     Kind = "token.created"
	TokenRevoked     Kind = "token.revoked"
	AgentRegistered  Kind = "agent.registered"
	AgentChanged     Kind = "agent.changed"
	AgentDeleted     Kind = "agent.deleted"
	GroupCreated     Kind = "group.created"
	ReferenceCreated Kind = "reference.created"
	UserSet          Kind = "user.set"
	UserDeleted      Kind = "user.deleted"
	UserKeyAdded     Kind = "user_key.added"
	UserKeyRemoved   Kind = "user_key.removed"
)
