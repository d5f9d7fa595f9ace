package areyouai

import "strings"

// StreamAckRequest is the body of POST /v1/agent/stream/ack. It acknowledges
// one delivery, not those before it.
type StreamAckRequest struct {
	DeliveryID string `json:"delivery_id"`
}

// DecodeStreamAck reads an ack; the id is trimmed and must not be blank. An id
// longer than any real one names nothing: not_found.
func (l Limits) DecodeStreamAck(body []byte) (StreamAckRequest, error) {
	var req StreamAckRequest
	if err := l.decodeObject(body, &req); err != nil {
		return StreamAckRequest{}, err
	}
	id, err := requiredText("delivery_id", req.DeliveryID, l.BodyBytes)
	if err != nil {
		return StreamAckRequest{}, err
	}
	if len(id) > MaxIDBytes {
		return StreamAckRequest{}, NewError(CodeNotFound)
	}
	return StreamAckRequest{DeliveryID: id}, nil
}

// StreamAckReply is the 200 of an ack, the same for a repeat.
type StreamAckReply struct {
	DeliveryID string `json:"delivery_id"`
	Status     string `json:"status"`
}

// NewStreamAckReply returns {"delivery_id":id,"status":"acked"}.
func NewStreamAckReply(id string) StreamAckReply {
	return StreamAckReply{DeliveryID: id, Status: "acked"}
}

// ParseDeliveryCursor returns where an agent stream resumes: the
// last_delivery_id parameter when it is not blank, else the Last-Event-ID
// header, else "". What is longer than any id is cut, so that it stays unknown
// and is answered with replay_required.
// Source: contract, "Streams", row "Resume".
func ParseDeliveryCursor(lastDeliveryID, lastEventID string) string {
	cursor := strings.TrimSpace(lastDeliveryID)
	if cursor == "" {
		cursor = strings.TrimSpace(lastEventID)
	}
	return cursor[:min(len(cursor), MaxIDBytes+1)]
}
