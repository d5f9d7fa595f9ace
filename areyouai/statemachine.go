package areyouai

import "strings"

// CanTransition reports whether a room may go from one state to another:
// OPEN to ACTIVE or CLOSED, ACTIVE to CLOSED, CLOSED to PURGED, nothing else
// and never to itself. Source: contract, "Room state machine".
func CanTransition(from, to RoomState) bool {
	switch from {
	case StateOpen:
		return to == StateActive || to == StateClosed
	case StateActive:
		return to == StateClosed
	case StateClosed:
		return to == StatePurged
	}
	return false
}

// TransitionRequest is the body of POST /v1/rooms/state-machine, a debug
// route that touches no room.
type TransitionRequest struct {
	Current RoomState `json:"current"`
	Next    RoomState `json:"next"`
}

// DecodeTransition reads the body. State names are not checked here: an
// unknown one simply has no transition.
func (l Limits) DecodeTransition(body []byte) (TransitionRequest, error) {
	var req TransitionRequest
	if err := l.decodeObject(body, &req); err != nil {
		return TransitionRequest{}, err
	}
	req.Current = RoomState(strings.TrimSpace(string(req.Current)))
	req.Next = RoomState(strings.TrimSpace(string(req.Next)))
	return req, nil
}

// Check returns the 409 conflict of the route for a forbidden pair.
func (r TransitionRequest) Check() error {
	if !CanTransition(r.Current, r.Next) {
		return NewError(CodeConflict).WithHint("Allowed: OPEN to ACTIVE or CLOSED, ACTIVE to CLOSED, CLOSED to PURGED.")
	}
	return nil
}

// TransitionReply is the 200 of the route.
type TransitionReply struct {
	Result string `json:"result"`
}

// NewTransitionReply returns {"result":"ok"}.
func NewTransitionReply() TransitionReply { return TransitionReply{Result: "ok"} }
