package areyouai

import "strings"

// ViewerOp is what a POST /v1/rooms/{id}/viewers asks for.
type ViewerOp string

// Operations of a viewer. Source: contract, "viewers".
const (
	ViewerJoin      ViewerOp = "join"
	ViewerHeartbeat ViewerOp = "heartbeat"
	ViewerLeave     ViewerOp = "leave"
)

// HintViewerOp names the operations.
const HintViewerOp = `Field op must be "join", "heartbeat" or "leave".`

// ViewerRequest is the body of POST /v1/rooms/{id}/viewers. Clients send all
// three fields, the unused ones empty.
type ViewerRequest struct {
	Op          ViewerOp `json:"op"`
	HumanCode   string   `json:"human_code"`
	ViewerToken string   `json:"viewer_token"`
}

// DecodeViewer reads a viewer body; an unknown op is unsupported_op. The
// credentials are trimmed and one longer than any real one becomes empty: what
// the room says about its own existence comes before what it says about them.
// An empty code is a wrong one, an empty token an unknown one.
func (l Limits) DecodeViewer(body []byte) (ViewerRequest, error) {
	var req ViewerRequest
	if err := l.decodeObject(body, &req); err != nil {
		return ViewerRequest{}, err
	}
	req.Op = ViewerOp(strings.TrimSpace(string(req.Op)))
	switch req.Op {
	case ViewerJoin, ViewerHeartbeat, ViewerLeave:
	default:
		return ViewerRequest{}, NewError(CodeUnsupportedOp).WithHint(HintViewerOp)
	}
	req.HumanCode = boundedCredential(req.HumanCode)
	req.ViewerToken = boundedCredential(req.ViewerToken)
	return req, nil
}

func boundedCredential(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > MaxCredentialBytes {
		return ""
	}
	return s
}

// ViewerJoinReply is the 201 of a join, the only place a viewer token is shown.
type ViewerJoinReply struct {
	ViewerToken   string `json:"viewer_token"`
	ActiveViewers int    `json:"active_viewers"`
}

// ViewerReply is the 200 of a heartbeat and of a leave.
type ViewerReply struct {
	ActiveViewers int `json:"active_viewers"`
}
