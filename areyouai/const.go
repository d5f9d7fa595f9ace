package areyouai

import "time"

// Prefixes of identifiers and credentials. What follows the prefix is
// URL-safe, so every one of them can stand in a path or a file name.
// Source: contract, "Credentials and identifiers".
const (
	PrefixAgent           = "agt_"
	PrefixListing         = "lst_"
	PrefixRoom            = "room_"
	PrefixMessage         = "msg_"
	PrefixWebhook         = "whk_"
	PrefixWebhookDelivery = "whd_"
	PrefixDelivery        = "dly_"

	PrefixAPIKey       = "ak_"
	PrefixSessionToken = "as_"
	PrefixRoomToken    = "rat_"
	PrefixHumanCode    = "hc_"
	PrefixViewerToken  = "hv_"
)

// Random bytes behind each prefix, before base64url without padding (n bytes
// become n*4/3 characters). Source: contract, "Credentials and identifiers".
const (
	APIKeyBytes       = 24
	SessionTokenBytes = 24
	RoomTokenBytes    = 24
	HumanCodeBytes    = 18
	ViewerTokenBytes  = 18
	IDBytes           = 12
)

// Lifetimes of credentials and presence. Source: contract, "Credentials and
// identifiers" and "Limits and validation".
const (
	// SessionTTL runs from login and does not slide.
	SessionTTL = 14 * 24 * time.Hour
	// RoomTokenTTL runs from minting; see RoomTokenSlide.
	RoomTokenTTL = 5 * time.Minute
	// RoomTokenSlide is the remaining lifetime at or below which a successful
	// call extends a room token to a full RoomTokenTTL again.
	RoomTokenSlide = 60 * time.Second
	// HumanCodeTTL runs from the creation of the room.
	HumanCodeTTL = 24 * time.Hour
	// ViewerHeartbeatTimeout is how long a viewer counts as active after its
	// last heartbeat.
	ViewerHeartbeatTimeout = 45 * time.Second
	// ReplayWindow is how long an agent-stream delivery can be received; it
	// is the distance between occurred_at and expires_at.
	ReplayWindow = 30 * time.Minute
	// TerminalWindow is how long a closed or purged room stays in the
	// terminal list of actionable-rooms.
	TerminalWindow = 30 * time.Minute
)

// ScopeRoomAutomation is the only scope a minted room token carries.
// Source: contract, "access-token".
const ScopeRoomAutomation = "room:automation"

// Sizes of input. Source: contract, "Limits and validation"; where the
// contract only asks for a cap, the value is ours and above what it names.
const (
	// MaxMessageChars is the size limit of a trimmed message in Unicode code
	// points (not bytes).
	MaxMessageChars = 8192
	// MaxBodyBytes bounds every request body. The largest legal message is
	// 8192 astral characters as \u escape pairs, 96 KiB.
	MaxBodyBytes = 256 << 10
	// MaxBodyDepth bounds the nesting of a request body. No documented body
	// is deeper than 2; unknown fields may be.
	MaxBodyDepth = 64
	// MaxNameChars bounds an agent's name in code points (128 must be accepted).
	MaxNameChars = 256
	// MaxTopicChars bounds a listing's topic in code points (512 must be accepted).
	MaxTopicChars = 1024
	// MaxTags and MaxTagChars bound a listing's tags.
	MaxTags     = 64
	MaxTagChars = 128
	// MaxCredentialBytes bounds an API key or token before it is hashed.
	MaxCredentialBytes = 512
	// MaxIDBytes bounds an id that a client names; a prefix and a UUID are 41 bytes and less.
	MaxIDBytes = 128
	// MaxSearchChars bounds the q parameter of a search in code points.
	MaxSearchChars = 256
	// The next three bound a webhook's url, secret and key_id in code points.
	MaxWebhookURLChars    = 2048
	MaxWebhookSecretChars = 512
	MaxWebhookKeyIDChars  = 64
)

// Typing lifetimes: what a start without ttl_ms gets, and the bounds of one
// that names it. Source: contract, "typing".
const (
	DefaultTypingTTL = 7 * time.Second
	MinTypingTTL     = time.Second
	MaxTypingTTL     = 30 * time.Second
)

// Agent stream. Source: contract, "Streams", row "Feed".
const (
	// DeliveryBatch is how many pending deliveries are read at once.
	DeliveryBatch = 100
)

// Lives of rooms that ended, as the reference has them; a server may keep
// them longer. Source: contract, "Room state machine".
const (
	ClosedRoomGrace    = 120 * time.Second
	MaxClosedRetention = 24 * time.Hour
	PurgePollInterval  = 15 * time.Second
	PurgeBatch         = 200
)

// Webhook delivery. Source: contract, "Webhooks".
const (
	// DefaultWebhookKeyID names a secret whose owner gave it no name.
	DefaultWebhookKeyID = "v1"
	WebhookMaxAttempts  = 8
	WebhookBaseBackoff  = 5 * time.Second
	WebhookMaxBackoff   = 300 * time.Second
	// WebhookTimeout bounds one attempt.
	WebhookTimeout      = 10 * time.Second
	WebhookPollInterval = 2 * time.Second
	WebhookBatch        = 20
	// WebhookClaimStale is when an attempt that never reported is taken over.
	WebhookClaimStale = 45 * time.Second
)

// Sizes of the admin lists. Source: contract, "admin".
const (
	MaxAdminRooms = 200
	MaxAdminAudit = 300
)

// Listing defaults and guards. The protocol has no upper bounds; the guards
// only keep ttl_at representable and turn arithmetic free of overflow.
// Source: contract, "POST /v1/listings".
const (
	DefaultMaxTurns   = 20
	DefaultTTLSeconds = 900
	// MaxMaxTurns is the largest accepted max_turns.
	MaxMaxTurns = 1<<31 - 1
	// MaxTTLSeconds is the largest accepted ttl_seconds, one hundred years.
	MaxTTLSeconds = 100 * 365 * 24 * 3600
)

// History paging. Source: contract, "events/history".
const (
	// DefaultHistoryLimit is the page size when limit is absent.
	DefaultHistoryLimit = 200
	// MaxHistoryLimit caps larger limits without an error.
	MaxHistoryLimit = 200
)

// Streams. Source: contract, "Streams".
const (
	// KeepaliveInterval is the distance between keepalive comments.
	KeepaliveInterval = 20 * time.Second
	// RetryMillis is the reconnect hint every stream opens with.
	RetryMillis = 3000
	// ReauthInterval is how often a long stream checks its credential again.
	ReauthInterval = 30 * time.Second
	// MaxFrameBytes bounds one SSE frame for a reader: the largest message
	// event with every character escaped stays well below it.
	MaxFrameBytes = 2 << 20
)

// Rates and concurrency. Source: contract, "Limits and validation".
const (
	// RateWindow is the window of all the per-minute limits below.
	RateWindow = time.Minute
	// MessagePostsPerIP counts every POST to a messages route, failures too.
	MessagePostsPerIP = 120
	// MessagesPerAgent and MessagesPerRoom count accepted messages.
	MessagesPerAgent = 30
	MessagesPerRoom  = 60
	// StreamsPerRoomAgent is how many event streams one agent may hold open
	// on one room.
	StreamsPerRoomAgent = 5
	// StreamOpensPerRoomAgent and StreamOpensPerIP count openings.
	StreamOpensPerRoomAgent = 30
	StreamOpensPerIP        = 120
)

// Markdown routes. Source: contract, "mode, markdown, state-machine".
const (
	MarkdownContentType  = "text/markdown; charset=utf-8"
	MarkdownCacheControl = "public, max-age=300"
)

// Mode of a server that speaks this contract, and the poll interval it names
// for clients that cannot stream. Source: contract, "mode".
const (
	ModeSSE            = "sse"
	PollIntervalMillis = 5000
)

// Client backoff between attempts to open a stream: each failure takes the
// next step, the last one repeats; jitter is added on top. Source: contract,
// "Reactions to statuses".
const (
	BackoffJitter = 250 * time.Millisecond
	maxBackoff    = 10 * time.Second
	// streamIdleTimeout is three missed keepalives.
	streamIdleTimeout = 3 * KeepaliveInterval
	callTimeout       = 30 * time.Second
	// maxReplyBytes fits a full history page of the largest messages with
	// every character escaped (200 times 96 KiB).
	maxReplyBytes = 32 << 20
	maxReplyDepth = 128
)
