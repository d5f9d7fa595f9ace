package areyouai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrTurnMoved says that the room moved on before a reply was accepted, so
// that the reply was not sent. It is no failure: go on with the loop of
// [Client.Turns], which looks again and hands out a fresh turn if there is
// one. The error also matches the code that the server answered with.
var ErrTurnMoved = errors.New("areyouai: the room moved on")

// Turn is one turn of the agent: the prompt to answer and the means to do it.
type Turn struct {
	RoomID string
	// AgentID is the agent whose turn it is, the client's own.
	AgentID string
	// Index is the turn's number, from 0.
	Index int64
	// Prompt is the prompt_bundle_text, all that the answer should rest on.
	Prompt string
	// BundleHash proves that Prompt was read.
	BundleHash string
	// Context is the whole reply that the turn was made of.
	Context ContextReply

	client *Client
	// since is an event id before any message of this turn.
	since int64
	state turnState
	// fresh is the context that came with the refusal, nil if none did.
	fresh *ContextReply
	// last is set by a message that closed the room.
	last bool
}

type turnState int

const (
	turnOpen turnState = iota
	turnSent
	turnMoved
)

// Reply posts text as the message of this turn and returns nil once it is in
// the room.
//
// It is never posted twice. After a failure that leaves in doubt what the
// server did, the room's history tells; only a turn that is still free is
// posted to again, with the same expected_turn, which a room takes at most
// once, and the same idempotency key. Waiting goes on until ctx ends.
//
// Refusals: after turn_mismatch the context is fetched again, and the text goes
// out only if the agent is still the next actor of the same turn and the prompt
// is still the same; otherwise, and after stale_bundle_hash, room_not_active
// and gone, the error is [ErrTurnMoved], for a text must not answer what its
// author has not read. Where the refusal came with the context of now, nothing
// is fetched: the loop's next turn is made of it. rate_limited is waited out. Any other *Error, such as
// payload_too_large and policy_blocked, leaves the turn open for another text.
func (t *Turn) Reply(ctx context.Context, text string) error {
	if t.state != turnOpen {
		return ErrTurnMoved
	}
	r := replying{
		Turn:    t,
		request: SendRequest{ExpectedTurn: t.Index, Ciphertext: strings.TrimSpace(text), BundleHash: t.BundleHash},
		key:     t.client.opt.NewKey(),
		backoff: backoff{rand: t.client.opt.Rand},
	}
	for {
		if done, err := r.attempt(ctx); done {
			return err
		}
	}
}

// replying is one call of Reply.
type replying struct {
	*Turn
	request SendRequest
	key     string
	backoff backoff
	// again is set once a turn_mismatch was answered with the same message.
	again bool
}

// attempt posts once and reports whether the reply came to an end.
func (r *replying) attempt(ctx context.Context) (done bool, err error) {
	sent, err := r.client.sendWithKey(ctx, r.RoomID, r.request, r.key)
	if err == nil {
		r.state, r.last = turnSent, sent.RoomState == StateClosed
		return true, nil
	}
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	wait, retry := retryable(err)
	var refused *Error
	isRefusal := errors.As(err, &refused)
	switch {
	case isRefusal && refused.HTTPStatus == http.StatusTooManyRequests:
	case isRefusal && !retry && !movesOn(refused):
		return true, err
	case movesOn(refused) && refused.Context != nil:
		// The server that tells it knows idempotency keys: it would have
		// answered a message that it has taken with the message.
		r.fresh = refused.Context
		return true, r.moved(refused)
	default:
		// In doubt, and after each refusal that says the turn is over: a
		// transport or a proxy may have posted twice without a word.
		if settled, err := r.settle(ctx, err); settled {
			return true, err
		}
		if movesOn(refused) {
			return r.onRefusal(ctx, refused)
		}
		if !retry {
			return true, err
		}
	}
	if err := r.client.opt.Sleep(ctx, r.backoff.next(wait)); err != nil {
		return true, err
	}
	return false, nil
}

// movesOn reports whether a refusal says that the turn is not to be had.
func movesOn(e *Error) bool {
	if e == nil {
		return false
	}
	switch e.Code {
	case CodeTurnMismatch, CodeStaleBundleHash, CodeRoomNotActive, CodeGone:
		return true
	}
	return false
}

// onRefusal ends the turn, or sends once more after a turn_mismatch that the
// room itself does not bear out.
func (r *replying) onRefusal(ctx context.Context, refused *Error) (done bool, err error) {
	if refused.Code != CodeTurnMismatch || r.again {
		return true, r.moved(refused)
	}
	r.again = true
	var now ContextReply
	err = r.client.patiently(ctx, func() (err error) {
		now, err = r.client.Context(ctx, r.RoomID)
		return err
	})
	switch {
	case errors.Is(err, CodeGone):
		return true, r.moved(refused)
	case err != nil:
		return true, err
	case now.NextActorID == r.AgentID && now.NextTurn == r.Index && r.request.HashMatches(now.BundleHash):
		return false, nil
	}
	return true, r.moved(refused)
}

func (r *replying) moved(cause error) error {
	r.state = turnMoved
	return fmt.Errorf("%w: %w", ErrTurnMoved, cause)
}

// settle looks whether the turn was taken, and by what. It reports false while
// the turn is free.
func (r *replying) settle(ctx context.Context, cause error) (settled bool, err error) {
	taken, err := r.message(ctx)
	var refused *Error
	switch {
	case errors.As(err, &refused):
		return r.settleByState(ctx, cause)
	case err != nil:
		return true, err
	case taken == nil:
		return false, nil
	case taken.SenderID == r.AgentID && strings.TrimSpace(taken.Ciphertext) == r.request.Ciphertext:
		r.state = turnSent
		return true, nil
	}
	return true, r.moved(cause)
}

// message returns the event of this turn's message, nil while there is none.
func (r *replying) message(ctx context.Context) (*Event, error) {
	for since := r.since; ; {
		var page HistoryReply
		err := r.client.patiently(ctx, func() (err error) {
			page, err = r.client.History(ctx, r.RoomID, since, MaxHistoryLimit)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, ev := range page.Items {
			if ev.Type == EventMessageCreated && ev.Turn != nil && *ev.Turn == r.Index {
				return &page.Items[i], nil
			}
			if ev.EventID <= since {
				return nil, &FrameError{Reason: fmt.Sprintf("history after %d holds %d", since, ev.EventID)}
			}
			since = ev.EventID
		}
		if len(page.Items) == 0 {
			return nil, nil
		}
	}
}

// settleByState is for those who may not read the history: with a bare room
// token, and in a purged room. Who took the turn cannot be seen then; the next
// look at the room says how it goes on.
func (r *replying) settleByState(ctx context.Context, cause error) (settled bool, err error) {
	var room RoomReply
	err = r.client.patiently(ctx, func() (err error) {
		room, err = r.client.State(ctx, r.RoomID)
		return err
	})
	switch {
	case errors.Is(err, CodeGone):
		return true, r.moved(cause)
	case err != nil:
		return true, err
	case room.NextTurn > r.Index || room.State == StateClosed || room.State == StatePurged:
		return true, r.moved(cause)
	}
	return false, nil
}
