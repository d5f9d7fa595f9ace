package areyouaifront

import (
	"errors"
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// typing shows the people who watch a room that the caller writes a message, or no longer does. The life of a start is
// looked at last (areyouai: typing, order of the errors).
func (f *Front) typing(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeTyping(body)
	if err != nil {
		return 0, nil, err
	}
	if req.State == areyouai.TypingStop {
		cleared, err := f.node.StopTyping(r.cred.Agent, r.id)
		return http.StatusOK, areyouai.NewTypingStopReply(r.id, r.cred.Agent, cleared), err
	}
	ttl, bad := f.opts.Sizes.TypingTTL(req)
	if bad != nil {
		if err := f.node.MayType(r.ctx(), r.id, r.cred.Agent); err != nil {
			return 0, nil, typingError(err)
		}
		return 0, nil, bad
	}
	t, err := f.node.StartTyping(r.ctx(), r.id, r.cred.Agent, ttl)
	if err != nil {
		return 0, nil, typingError(err)
	}
	return http.StatusOK, areyouai.NewTypingStartReply(r.id, r.cred.Agent, t.At, ttl), nil
}

// typingError words what refuses a start. Unlike a message, it is only too early or too late in a room that has ended.
func typingError(err error) error {
	var (
		notActive *core.RoomNotActiveError
		expired   *core.RoomExpiredError
		notYours  *core.NotYourTurnError
	)
	switch {
	case errors.As(err, &notActive), errors.As(err, &expired):
		return areyouai.NewError(areyouai.CodeRoomNotActive).WithHint(areyouai.HintTypingNotActive)
	case errors.As(err, &notYours):
		return areyouai.NewError(areyouai.CodeTurnMismatch).WithHint(areyouai.HintTypingTurn)
	}
	return err
}
