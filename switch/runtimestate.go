package agentswitch

// The states of a RuntimeState.
const (
	RuntimeWorking       = "working"
	RuntimeAwaitingInput = "awaiting-input"
	RuntimeIdle          = "idle"
)

// RuntimeState is the body of POST …/runtime-state: what an agent's session in
// a room is at.
type RuntimeState struct {
	RoomID string `json:"room_id"`
	// State is RuntimeWorking, RuntimeAwaitingInput or RuntimeIdle.
	State    string  `json:"state"`
	ThreadID *string `json:"thread_id,omitempty"`
	// AnchorEventID is the message that the state is about.
	AnchorEventID *string `json:"anchor_event_id,omitempty"`
	// DeeplinkURL stays as it was last reported when it is nil.
	DeeplinkURL *string `json:"deeplink_url,omitempty"`
	Detail      *string `json:"detail,omitempty"`
	// ControlCapabilities stay as they were last reported when nil. They
	// decide about commands whose capability is CapabilitySessionDependent.
	ControlCapabilities *ControlCapabilities `json:"control_capabilities,omitempty"`
}

// ControlCapabilities says which commands a session obeys now.
type ControlCapabilities struct {
	Reset     bool `json:"reset"`
	Compact   bool `json:"compact"`
	Interrupt bool `json:"interrupt"`
}

// ParseRuntimeState reads a runtime state. A capability that is left out is
// false. Errors are an Error; an unknown state is 422.
func ParseRuntimeState(body []byte) (RuntimeState, error) {
	f, err := newFields(body)
	if err != nil {
		return RuntimeState{}, err
	}
	req := RuntimeState{
		RoomID:        f.requiredString("room_id"),
		State:         f.requiredChoice("state", RuntimeWorking, RuntimeAwaitingInput, RuntimeIdle),
		ThreadID:      f.optionalString("thread_id"),
		AnchorEventID: f.optionalString("anchor_event_id"),
		DeeplinkURL:   f.optionalString("deeplink_url"),
		Detail:        f.optionalString("detail"),
	}
	if raw := f.optionalValue("control_capabilities"); raw != nil {
		f.nested("control_capabilities", raw, func(c *fields) {
			req.ControlCapabilities = &ControlCapabilities{
				Reset: c.boolOr("reset", false), Compact: c.boolOr("compact", false), Interrupt: c.boolOr("interrupt", false),
			}
		})
	}
	if err := f.err(); err != nil {
		return RuntimeState{}, err
	}
	return req, nil
}

// Values of StatusReport.Presence.
const (
	PresenceOnline  = "online"
	PresenceOffline = "offline"
)

// StatusReport is the body of POST …/status.
type StatusReport struct {
	RoomID string `json:"room_id"`
	// Presence is PresenceOnline or PresenceOffline.
	Presence *string `json:"presence,omitempty"`
	Status   *string `json:"status,omitempty"`
	// Detail, if it is not empty, is posted in the room in italics.
	Detail *string `json:"detail,omitempty"`
}

// ParseStatusReport reads a status report. Errors are an Error.
func ParseStatusReport(body []byte) (StatusReport, error) {
	f, err := newFields(body)
	if err != nil {
		return StatusReport{}, err
	}
	req := StatusReport{
		RoomID:   f.requiredString("room_id"),
		Presence: f.optionalChoice("presence", PresenceOnline, PresenceOffline),
		Status:   f.optionalString("status"),
		Detail:   f.optionalString("detail"),
	}
	if err := f.err(); err != nil {
		return StatusReport{}, err
	}
	return req, nil
}

// RenewRequest is the body of POST …/connection/renew, with which old polling
// clients say that they are in a room.
type RenewRequest struct {
	RoomID string `json:"room_id"`
}

// ParseRenewRequest reads a renewal. Errors are an Error.
func ParseRenewRequest(body []byte) (RenewRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return RenewRequest{}, err
	}
	req := RenewRequest{RoomID: f.requiredString("room_id")}
	return req, f.err()
}
