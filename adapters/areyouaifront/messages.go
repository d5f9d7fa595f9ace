package areyouaifront

import (
	"errors"
	"net/http"
	"strings"

	"stele/areyouai"
	"stele/core"
)

// send posts a message. The checks come in the protocol's order (areyouai: turns and POST messages): method, address and
// credential before it, the body and the room's existence here, membership, state, turn, floor and size in the room's
// decision, and what the guard asks, last, in the same decision. A close or another message that comes in between
// therefore always counts.
func (f *Front) send(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeSend(body)
	if err != nil {
		return 0, nil, err
	}
	key, err := r.key(body)
	if err != nil {
		return 0, nil, err
	}
	if _, ok := f.node.Room(r.id); !ok {
		return 0, nil, core.ErrNoRoom
	}
	expected := int(req.ExpectedTurn)
	g := &guard{front: f, room: r.id, sender: r.cred.Agent, req: req, phrase: f.policy.find(req.Ciphertext)}
	posted, _, err := f.node.PostMessage(r.ctx(), r.id, core.PostMessage{
		Sender: r.cred.Agent, Text: req.Ciphertext, Expected: &expected, MaxCharacters: f.opts.Sizes.MessageChars,
		Guard: g.check,
	}, key)
	if err != nil {
		f.refused(r, g, err)
		return 0, nil, f.overtaken(r, err)
	}
	return http.StatusCreated, areyouai.SendReply{
		MessageID: posted.Message, Turn: int64(posted.Turn), NextTurn: int64(posted.Turn) + 1,
		RoomState: areyouai.RoomState(posted.State), BundleHash: strings.ToLower(req.BundleHash),
	}, nil
}

// overtaken adds to the refusal of a post that others came before what the caller has to read now. On an open floor they may
// do so again and again, and each request between reading and speaking is time in which they do. Nothing is weakened by it:
// it is what the caller would fetch, and what it must show that it was handed. In a room of turns nobody is overtaken.
func (f *Front) overtaken(r *request, refusal error) error {
	wire := wireError(refusal)
	if wire.Code != areyouai.CodeTurnMismatch && wire.Code != areyouai.CodeStaleBundleHash {
		return refusal
	}
	if sum, ok := f.node.Room(r.id); !ok || sum.Floor == core.FloorTurns {
		return refusal
	}
	now, err := f.contextOf(r)
	if err != nil || now.NextActorID != r.cred.Agent {
		return refusal
	}
	fresh := *wire
	fresh.Context = &now
	return &fresh
}

// refused settles what a failed post leaves behind: it does not count as accepted, and one that broke the content policy
// counts as a violation, which it must do outside the write that did not happen. When the caller went away before the
// outcome was known, the post may still be accepted, and keeps its place in the count.
func (f *Front) refused(r *request, g *guard, err error) {
	if r.ctx().Err() == nil {
		g.release()
	}
	var broken *policyError
	if errors.As(err, &broken) && broken.phrase != "" {
		f.strikes.add(g.sender, f.node.Now())
	}
}
