package areyouai

import (
	"net/http"
	"net/url"
)

// Hints of the admin pages for credentials in the wrong place.
const (
	HintAdminHeader = "Send the admin token as Authorization: Bearer, not in X-Admin-Token."
	HintAdminQuery  = "Send the admin token as Authorization: Bearer, not in the query string."
)

// CheckAdminRequest refuses an admin token in a place of its own: the header
// X-Admin-Token, then the query parameter admin_token. It comes after
// admin_not_configured and before the bearer is looked at.
// Source: contract, "admin".
func CheckAdminRequest(h http.Header, q url.Values) error {
	if len(h.Values("X-Admin-Token")) > 0 {
		return InvalidRequest(HintAdminHeader)
	}
	if q.Has("admin_token") {
		return InvalidRequest(HintAdminQuery)
	}
	return nil
}

// AdminOverview is the 200 of GET /v1/admin/overview.
type AdminOverview struct {
	AgentsTotal    int64      `json:"agents_total"`
	SessionsActive int64      `json:"sessions_active"`
	RoomsOpen      int64      `json:"rooms_open"`
	RoomsActive    int64      `json:"rooms_active"`
	RoomsClosed    int64      `json:"rooms_closed"`
	RoomsPurged    int64      `json:"rooms_purged"`
	MessagesTotal  int64      `json:"messages_total"`
	Purge          AdminPurge `json:"purge"`
	GeneratedAt    Time       `json:"generated_at_utc"`
}

// AdminPurge says what the purge has before it. Ages are 0 when no room waits.
type AdminPurge struct {
	Scanned                   int64 `json:"scanned"`
	ClosedRooms               int64 `json:"closed_rooms"`
	ReadyForPurge             int64 `json:"ready_for_purge"`
	ViewerBlocked             int64 `json:"viewer_blocked"`
	OverRetention             int64 `json:"over_retention"`
	OldestClosedAgeSeconds    int64 `json:"oldest_closed_age_seconds"`
	OldestReadyAgeSeconds     int64 `json:"oldest_ready_age_seconds"`
	ClosedRoomGraceSeconds    int64 `json:"closed_room_grace_seconds"`
	MaxClosedRetentionSeconds int64 `json:"max_closed_retention_seconds"`
}

// AdminRoomsReply is the 200 of GET /v1/admin/rooms, newest first, at most
// MaxAdminRooms of them.
type AdminRoomsReply struct {
	Items []AdminRoom `json:"items"`
}

// NewAdminRoomsReply returns a reply whose items encode as an array.
func NewAdminRoomsReply(items []AdminRoom) AdminRoomsReply {
	if items == nil {
		items = []AdminRoom{}
	}
	return AdminRoomsReply{Items: items}
}

// AdminRoom is one room of the admin list.
type AdminRoom struct {
	ID         string    `json:"id"`
	AgentAID   string    `json:"agent_a_id"`
	AgentAName string    `json:"agent_a_name"`
	AgentBID   string    `json:"agent_b_id"`
	AgentBName string    `json:"agent_b_name"`
	State      RoomState `json:"state"`
	TurnIndex  int64     `json:"turn_index"`
	MaxTurns   int64     `json:"max_turns"`
	TTLAt      Time      `json:"ttl_at"`
	CreatedAt  Time      `json:"created_at"`
	ClosedAt   *Time     `json:"closed_at,omitempty"`
	PurgedAt   *Time     `json:"purged_at,omitempty"`
}

// AuditEvent names an entry of the audit log.
type AuditEvent string

// Audit events. Source: contract, "admin".
const (
	AuditStreamOpened          AuditEvent = "stream_opened"
	AuditStreamClosed          AuditEvent = "stream_closed"
	AuditStreamDropped         AuditEvent = "stream_dropped"
	AuditIPRateLimited         AuditEvent = "ip_rate_limited"
	AuditMessagePolicyBlocked  AuditEvent = "message_policy_blocked"
	AuditMessageRateLimited    AuditEvent = "message_rate_limited"
	AuditBundleHashMismatch    AuditEvent = "bundle_hash_mismatch"
	AuditPromptBundleGenerated AuditEvent = "prompt_bundle_generated"
	AuditMessagePersisted      AuditEvent = "message_persisted"
	AuditRoomContextSyncFailed AuditEvent = "room_context_sync_failed"
	AuditRoomContextReadFailed AuditEvent = "room_context_read_failed"
	AuditRoomPurged            AuditEvent = "room_purged"
)

// AdminAuditReply is the 200 of GET /v1/admin/audit, newest first, at most
// MaxAdminAudit entries.
type AdminAuditReply struct {
	Items []AuditEntry `json:"items"`
}

// NewAdminAuditReply returns a reply whose items encode as an array.
func NewAdminAuditReply(items []AuditEntry) AdminAuditReply {
	if items == nil {
		items = []AuditEntry{}
	}
	return AdminAuditReply{Items: items}
}

// AuditEntry is one line of the audit log. Meta is a JSON object written as a
// string; it holds no message text and no credential.
type AuditEntry struct {
	ID           int64      `json:"id"`
	RoomID       string     `json:"room_id"`
	Event        AuditEvent `json:"event"`
	Meta         string     `json:"meta"`
	MessageCount int64      `json:"message_count"`
	CreatedAt    Time       `json:"created_at"`
}
