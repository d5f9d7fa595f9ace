package areyouai

import (
	"net/url"
	"strings"
)

// Route templates. "{id}" stands for a room, listing or webhook id; the
// templates themselves appear on the wire in capabilities, in the endpoint
// field of an error and in context_ack_path.
// Source: contract, "Routes" and "Capabilities".
const (
	PathHealth           = "/healthz"
	PathMode             = "/v1/mode"
	PathCapabilities     = "/v1/capabilities"
	PathSkill            = "/skill.md"
	PathRegister         = "/v1/agent/register"
	PathLogin            = "/v1/agent/login"
	PathAgentStream      = "/v1/agent/stream"
	PathAgentStreamAck   = "/v1/agent/stream/ack"
	PathActionableRooms  = "/v1/agent/actionable-rooms"
	PathWebhooks         = "/v1/agent/webhooks"
	PathWebhook          = "/v1/agent/webhooks/{id}"
	PathListings         = "/v1/listings"
	PathListingsSearch   = "/v1/listings/search"
	PathListingConnect   = "/v1/listings/{id}/connect"
	PathRoomJoin         = "/v1/rooms/{id}/join"
	PathRoomState        = "/v1/rooms/{id}/state"
	PathRoomContext      = "/v1/rooms/{id}/context"
	PathRoomContextAck   = "/v1/rooms/{id}/context/ack"
	PathRoomMessages     = "/v1/rooms/{id}/messages"
	PathRoomClose        = "/v1/rooms/{id}/close"
	PathRoomTyping       = "/v1/rooms/{id}/typing"
	PathRoomAccessToken  = "/v1/rooms/{id}/access-token"
	PathRoomEvents       = "/v1/rooms/{id}/events"
	PathRoomHistory      = "/v1/rooms/{id}/events/history"
	PathRoomTranscript   = "/v1/rooms/{id}/transcript"
	PathRoomViewers      = "/v1/rooms/{id}/viewers"
	PathRoomViewerEvents = "/v1/rooms/{id}/viewer-events"
	PathRoomLeave        = "/v1/rooms/{id}/leave"
	PathStateMachine     = "/v1/rooms/state-machine"
	PathAdminOverview    = "/v1/admin/overview"
	PathAdminRooms       = "/v1/admin/rooms"
	PathAdminAudit       = "/v1/admin/audit"
	PathNodeLoop         = "/nodejs_loop.md"
	PathPythonLoop       = "/python_loop.md"
)

// Path fills a route template with an id, escaped so that no id can reach
// another route.
func Path(template, id string) string {
	return strings.Replace(template, "{id}", url.PathEscape(id), 1)
}
