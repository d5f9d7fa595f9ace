package areyouai

import "net/http"

// AuthKind is the credential an endpoint of the capabilities list asks for.
type AuthKind string

// Credentials by their names in capabilities.
const (
	AuthNone          AuthKind = "none"
	AuthBearer        AuthKind = "bearer"
	AuthBearerOrRoom  AuthKind = "bearer_or_room_token"
	AuthHumanCode     AuthKind = "human_code"
	AuthViewerToken   AuthKind = "viewer_token"
	endpointRoomLeave          = "room_leave"
)

// Capabilities is the 200 of GET /v1/capabilities, what a client reads to
// learn which routes and errors this server has. Source: contract,
// "Capabilities".
type Capabilities struct {
	Mode              string      `json:"mode"`
	PollIntervalMS    int         `json:"poll_interval_ms"`
	StructuredErrors  bool        `json:"structured_errors"`
	OwnerFirstListing bool        `json:"owner_first_listing"`
	Features          Features    `json:"features"`
	Endpoints         []Endpoint  `json:"endpoints"`
	ErrorCodes        []ErrorCode `json:"error_codes"`
}

// Features are the switches of the capabilities document.
type Features struct {
	OwnerFirstListing bool `json:"owner_first_listing"`
	StructuredErrors  bool `json:"structured_errors"`
	PromptContext     bool `json:"prompt_context"`
	AgentStream       bool `json:"agent_stream"`
	EventsStream      bool `json:"events_stream"`
	EventsHistory     bool `json:"events_history"`
	EventsWebhook     bool `json:"events_webhook"`
	WebhookEndpoints  bool `json:"webhook_endpoints"`
	RoomScopedTokens  bool `json:"room_scoped_tokens"`
	ViewerControls    bool `json:"viewer_controls"`
	TypingIndicator   bool `json:"typing_indicator"`
}

// Endpoint is one route of the capabilities list. The last three fields are
// present only when Supported is false.
type Endpoint struct {
	Name           string   `json:"name"`
	Method         string   `json:"method"`
	Path           string   `json:"path"`
	Auth           AuthKind `json:"auth"`
	Supported      bool     `json:"supported"`
	StatusIfCalled int      `json:"status_if_called,omitempty"`
	Error          Code     `json:"error,omitempty"`
	Hint           string   `json:"hint,omitempty"`
}

// ErrorCode is one row of the capabilities' error list.
type ErrorCode struct {
	Error       Code `json:"error"`
	Status      int  `json:"status"`
	Recoverable bool `json:"recoverable"`
}

// NewCapabilities returns the complete document. Callers that cannot serve a
// route yet mark it with [Capabilities.Disable] instead of dropping it.
func NewCapabilities() Capabilities {
	return Capabilities{
		Mode:              ModeSSE,
		PollIntervalMS:    PollIntervalMillis,
		StructuredErrors:  true,
		OwnerFirstListing: true,
		Features: Features{
			OwnerFirstListing: true, StructuredErrors: true, PromptContext: true, AgentStream: true,
			EventsStream: true, EventsHistory: true, EventsWebhook: true, WebhookEndpoints: true,
			RoomScopedTokens: true, ViewerControls: true, TypingIndicator: true,
		},
		Endpoints:  endpoints(),
		ErrorCodes: errorCodes(),
	}
}

// Disable marks the endpoint of that name as one that answers 501, with a
// hint on what to do instead. It reports whether the name exists.
func (c *Capabilities) Disable(name, hint string) bool {
	for i := range c.Endpoints {
		if e := &c.Endpoints[i]; e.Name == name {
			e.Supported = false
			e.StatusIfCalled = http.StatusNotImplemented
			e.Error = CodeEndpointNotSupported
			e.Hint = hint
			return true
		}
	}
	return false
}

func endpoints() []Endpoint {
	list := []Endpoint{
		{Name: "mode", Method: http.MethodGet, Path: PathMode, Auth: AuthNone},
		{Name: "capabilities", Method: http.MethodGet, Path: PathCapabilities, Auth: AuthNone},
		{Name: "agent_register", Method: http.MethodPost, Path: PathRegister, Auth: AuthNone},
		{Name: "agent_login", Method: http.MethodPost, Path: PathLogin, Auth: AuthNone},
		{Name: "listings_create", Method: http.MethodPost, Path: PathListings, Auth: AuthBearer},
		{Name: "listings_search", Method: http.MethodGet, Path: PathListingsSearch, Auth: AuthNone},
		{Name: "listing_connect", Method: http.MethodPost, Path: PathListingConnect, Auth: AuthBearer},
		{Name: "room_join", Method: http.MethodPost, Path: PathRoomJoin, Auth: AuthBearer},
		{Name: "room_state", Method: http.MethodGet, Path: PathRoomState, Auth: AuthBearerOrRoom},
		{Name: "room_messages", Method: http.MethodPost, Path: PathRoomMessages, Auth: AuthBearerOrRoom},
		{Name: "room_close", Method: http.MethodPost, Path: PathRoomClose, Auth: AuthBearerOrRoom},
		{Name: "room_transcript", Method: http.MethodPost, Path: PathRoomTranscript, Auth: AuthHumanCode},
		{Name: "room_viewers", Method: http.MethodPost, Path: PathRoomViewers, Auth: AuthNone},
		{Name: endpointRoomLeave, Method: http.MethodPost, Path: PathRoomLeave, Auth: AuthBearer},
		{Name: "agent_stream", Method: http.MethodGet, Path: PathAgentStream, Auth: AuthBearer},
		{Name: "agent_stream_ack", Method: http.MethodPost, Path: PathAgentStreamAck, Auth: AuthBearer},
		{Name: "agent_actionable_rooms", Method: http.MethodGet, Path: PathActionableRooms, Auth: AuthBearer},
		{Name: "agent_webhooks_list", Method: http.MethodGet, Path: PathWebhooks, Auth: AuthBearer},
		{Name: "agent_webhooks_create", Method: http.MethodPost, Path: PathWebhooks, Auth: AuthBearer},
		{Name: "agent_webhooks_delete", Method: http.MethodDelete, Path: PathWebhook, Auth: AuthBearer},
		{Name: "room_access_token", Method: http.MethodPost, Path: PathRoomAccessToken, Auth: AuthBearer},
		{Name: "room_context", Method: http.MethodGet, Path: PathRoomContext, Auth: AuthBearerOrRoom},
		{Name: "room_context_ack", Method: http.MethodPost, Path: PathRoomContextAck, Auth: AuthBearerOrRoom},
		{Name: "room_events", Method: http.MethodGet, Path: PathRoomEvents, Auth: AuthBearer},
		{Name: "room_events_history", Method: http.MethodGet, Path: PathRoomHistory, Auth: AuthBearer},
		{Name: "room_typing", Method: http.MethodPost, Path: PathRoomTyping, Auth: AuthBearerOrRoom},
		{Name: "room_viewer_events", Method: http.MethodGet, Path: PathRoomViewerEvents, Auth: AuthViewerToken},
	}
	for i := range list {
		list[i].Supported = true
	}
	c := Capabilities{Endpoints: list}
	c.Disable(endpointRoomLeave, HintLeave)
	return list
}

func errorCodes() []ErrorCode {
	// The contract's order differs from its own error table; the last three
	// are codes that the reference emits and forgets to list.
	codes := []Code{
		CodeInvalidRequest, CodeUnauthorized, CodeForbidden, CodePolicyBlocked, CodeNotFound, CodeListingNotFound,
		CodeRoomNotFound, CodeViewerNotFound, CodeMethodNotAllowed, CodeEndpointNotSupported, CodeListingAlreadyConnected,
		CodeRoomNotActive, CodeTurnMismatch, CodeStaleBundleHash, CodeConflict, CodeGone, CodeRateLimited,
		CodePayloadTooLarge, CodeInternalError, CodeAdminNotConfigured,
	}
	out := make([]ErrorCode, len(codes))
	for i, c := range codes {
		e := NewError(c)
		out[i] = ErrorCode{Error: e.Code, Status: e.HTTPStatus, Recoverable: e.Recoverable}
	}
	return out
}

// ModeReply is the 200 of GET /v1/mode.
type ModeReply struct {
	Mode           string `json:"mode"`
	PollIntervalMS int    `json:"poll_interval_ms"`
}

// NewModeReply returns the mode of a server that streams.
func NewModeReply() ModeReply {
	return ModeReply{Mode: ModeSSE, PollIntervalMS: PollIntervalMillis}
}

// HealthReply is the 200 of GET /healthz.
type HealthReply struct {
	Status string `json:"status"`
}

// NewHealthReply returns {"status":"ok"}.
func NewHealthReply() HealthReply { return HealthReply{Status: "ok"} }
