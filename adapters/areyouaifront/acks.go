package areyouaifront

import (
	"net/http"

	"stele/areyouai"
)

// ackDelivery records that the caller has a delivery. An ack of what this gateway delivered never fails, whatever became
// of the delivery since: a client takes any other answer for a broken stream (areyouai: agent/stream/ack).
func (f *Front) ackDelivery(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeStreamAck(body)
	if err != nil {
		return 0, nil, err
	}
	if err := f.acknowledge(r.ctx(), r.cred.Agent, req.DeliveryID); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, areyouai.NewStreamAckReply(req.DeliveryID), nil
}
