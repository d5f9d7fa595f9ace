package agentswitch

import "time"

// The numbers of the protocol. Section names refer to the protocol page.
const (
	// HeartbeatInterval is how often a client beats; connection_state prints
	// it in seconds. Section "Heartbeats".
	HeartbeatInterval = 2 * time.Second
	// HeartbeatTTL is how long a connection lives after its last beat; at
	// exactly this age it is dead. Section "Heartbeats".
	HeartbeatTTL = 6 * time.Second
	// SweepInterval is how often dead connections are looked for.
	SweepInterval = 2 * time.Second
	// SweepStall is how long a server may have stalled before it skips one
	// round of sweeping, so that its own pause does not kill every connection.
	SweepStall = 3 * time.Second
	// KeepaliveInterval is the silence on a stream after which the comment
	// KeepaliveText is written. Section "Framing".
	KeepaliveInterval = 15 * time.Second
	// CatchUpBatch is how many events the reference server reads at a time.
	CatchUpBatch = 200
	// MaxConnectionsPerAgent bounds open connections; one more is a 409.
	MaxConnectionsPerAgent = 32
	// MaxBufferedEvents is how many events are kept for one agent; older ones
	// are gone and a gap says so. Section "Delivery".
	MaxBufferedEvents = 2000
	// Retention is how long an event is kept for an agent.
	Retention = 15 * time.Minute
	// ProtocolSpeaks and ProtocolAccepts are the revisions of agent-protocol
	// this package speaks and still accepts. Section "Versions".
	ProtocolSpeaks  = 1
	ProtocolAccepts = 1
	// MaxAttachmentBytes bounds one uploaded file: 20 MiB. Section "Media".
	MaxAttachmentBytes = 20 << 20
	// AttachmentGroupWait is how long a message waits for the missing parts of
	// a group of files.
	AttachmentGroupWait = 5 * time.Second
	// MaxDocumentBytes bounds the UTF-8 content of a room document.
	MaxDocumentBytes = 1 << 20
	// MaxArgumentBytes bounds the body of an operation: a document of
	// MaxDocumentBytes fits even when every byte of it is written as an escape
	// of six.
	MaxArgumentBytes = 8 << 20
	// DocumentTimeout bounds one operation on a room document.
	DocumentTimeout = 30 * time.Second
	// MediationTimeout is how long a mediation request waits for a verdict.
	MediationTimeout = 10 * time.Second
	// RoleLeaseTTL is how long a role lease lives after its last renewal.
	RoleLeaseTTL = 6 * time.Second
	// RoomPresenceTTL and AgentPresenceTTL are the lives of the presence rows
	// of old polling clients, for one room and for all.
	RoomPresenceTTL  = 6 * time.Second
	AgentPresenceTTL = 90 * time.Second
	// DefaultPollTimeout is how long a long poll waits before it answers 204.
	DefaultPollTimeout = 10 * time.Second
	// InstructionPreviewRunes is how many characters of a role's instructions
	// its entry shows.
	InstructionPreviewRunes = 200
	// RuntimeStateSweepInterval is how often stale runtime states are cleared.
	RuntimeStateSweepInterval = 5 * time.Second
	// DefaultPort is the port of the reference server.
	DefaultPort = 8000
	// MaxIconURLRunes bounds the icon_url of a registration.
	MaxIconURLRunes = 2048
	// DefaultReadLimit is the limit of read_context when none is given.
	DefaultReadLimit = 50
)

// What the reference client does about failures; sections "Reactions" and "The
// library" of the observed behaviour.
const (
	// MinBackoff bounds the wait after the first refused open; it doubles.
	MinBackoff = time.Second
	// MaxBackoff bounds every wait between opens.
	MaxBackoff = 30 * time.Second
	// reviveTimeout is how long a call waits for its dead connection to be
	// opened again, and maxRevivals how often.
	reviveTimeout = HeartbeatTTL
	maxRevivals   = 2
	// BeatTimeout bounds one beat or subscribe.
	BeatTimeout = 4 * time.Second
	// OperationsTimeout bounds the fetch of the catalog at start-up.
	OperationsTimeout = 15 * time.Second
)

// What this package's client says about itself; servers record it and judge
// nothing by it.
const (
	ClientArtifact = "agentswitch-go"
	ClientVersion  = "1.0.0"
)

// Headers and media types.
const (
	// HeaderConnectionID names the connection an operation acts on.
	HeaderConnectionID = "X-Switch-Connection-Id"
	// HeaderLastEventID is where a stream resumes; it beats start_from.
	HeaderLastEventID = "Last-Event-ID"
	// HeaderIdempotencyKey makes a writing request repeatable on servers that
	// know it; others ignore it. It is no part of the protocol.
	HeaderIdempotencyKey = "Idempotency-Key"
	// AcceptStream, contained in Accept, asks for a stream and not a long poll.
	AcceptStream = "text/event-stream"
	// ContentTypeStream is the type of a stream's answer.
	ContentTypeStream = "text/event-stream; charset=utf-8"
	// ContentTypeJSON is the type of every JSON answer.
	ContentTypeJSON = "application/json"
	// BearerPrefix starts the Authorization header, compared exactly.
	BearerPrefix = "Bearer "
)

// KeepaliveText is the comment on an idle stream.
const KeepaliveText = "keepalive"

// DeeplinkSession is where GET /deeplink/session redirects to; the query
// follows after a question mark. Scheme and host are constants, so that the
// redirect can lead nowhere else. Section "Health, version, deeplink".
const DeeplinkSession = "switchdash://session"

// ContractName is the contract that the version numbers are about.
const ContractName = "agent-protocol"

// The two remedies of a refused version range; no others exist.
const (
	RemedyUpdateRuntime = "update the Switch agent runtime"
	RemedyUpdateServer  = "update switch-core"
)

// Reasons on control frames. Clients show them; only TextRestarted and
// TextReRead are looked for.
const (
	ReasonSubscriptionUpdated = "subscription updated"
	ReasonTakenOver           = "another stream attached to this connection"
	ReasonHeartbeatLapsed     = "heartbeat lapsed"
	ReasonInvalidRooms        = "invalid room subscription"
)

// Texts that clients match on, or that tell apart the reasons of a gap.
const (
	// TextIsNotOpen, together with the connection id, marks an error as a dead
	// connection; see DeadConnection.
	TextIsNotOpen = "is not open"
	// TextUnknownAgentType starts the refusal of an unknown agent_type; the
	// type follows. Setup tooling reads it.
	TextUnknownAgentType = "Unknown agent type: "
	// TextNotConnected is the refusal of an operation that needs a room.
	TextNotConnected = "Not connected to a room. Call connect_to_room first."
	// TextRestarted is part of the reason of a gap whose cursor is above head.
	TextRestarted = "restarted"
	// TextReRead is part of the reason of a gap whose events are gone.
	TextReRead = "re-read"
)
