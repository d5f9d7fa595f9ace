package edgefront

import (
	"context"
	"errors"
	"runtime/debug"

	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
	"stele/edgeframes"
)

// waitingBytes is what the calls that wait may weigh beside one of the largest size: more than 3,000 small ones, which is
// far more than a client has reason to send ahead.
const waitingBytes = 3 << 20

// callQueue holds the calls of one connection, which run one at a time in the order in which they came.
type callQueue struct {
	waiting []pendingCall
	running bool
	// weight is that of the calls that were not answered yet, most is what it may reach.
	weight, most int64
	// answers brings the answer of the call that ran, nil before the first; done is the one that waits for its turn to be written.
	answers chan *answer
	done    *answer
	// leaving: the session ends after the call that runs. drained: that one was answered.
	leaving, drained bool
}

// pendingCall is a call that has not begun.
type pendingCall struct {
	id   string
	call edgeframes.Call
	// refusal, if set, is what is wrong with the frame.
	refusal *edgeframes.ParseError
	// key is the idempotency key that came beside the call, empty for none.
	key    string
	weight int64
}

// answer is what a call is answered with, once the session's cursor has reached a position.
type answer struct {
	frame  edgeframes.Frame
	after  core.Position
	weight int64
}

// add queues a call; false: so much waits already that this one has no room. An empty queue has room for any.
func (q *callQueue) add(c pendingCall) bool {
	if q.weight+c.weight > q.most {
		return false
	}
	q.weight += c.weight
	q.waiting = append(q.waiting, c)
	return true
}

func (q *callQueue) leave() {
	q.leaving = true
	q.drained = !q.running
}

// callNext begins the next call if none runs and the session is to stay.
func (s *session) callNext() {
	q := &s.calls
	if q.running || len(q.waiting) == 0 || s.front.open.draining() {
		return
	}
	c := q.waiting[0]
	q.waiting[0] = pendingCall{}
	if q.waiting = q.waiting[1:]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	q.running = true
	if q.answers == nil {
		q.answers = make(chan *answer, 1)
	}
	answers := q.answers
	s.work.Go(func() {
		frame := s.answerTo(c)
		// What the call did lies behind the node's head by now.
		answers <- &answer{frame: frame, after: s.front.node.Applied(), weight: c.weight}
	})
}

// writeAnswer writes the answer of the call that is done, if all that the call caused was written before.
func (s *session) writeAnswer() error {
	q := &s.calls
	if q.done == nil || s.reader.Cursor() < q.done.after {
		return nil
	}
	a := q.done
	q.done, q.running = nil, false
	q.drained = q.leaving
	q.weight -= a.weight
	return s.sendFrame(a.frame)
}

// answerTo runs a call to its end. It never fails: what goes wrong is the answer.
func (s *session) answerTo(c pendingCall) (frame edgeframes.Frame) {
	defer func() {
		if p := recover(); p != nil {
			s.front.log.Error("call failed", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			frame = edgeframes.CallError(c.id, edgeframes.CodeMethodError, internalError)
		}
	}()
	if c.refusal != nil {
		return c.refusal.Frame()
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.front.opts.CallBudget)
	defer cancel()
	err := s.front.check(ctx, s.grant)
	var result any
	if err == nil {
		result, err = s.front.call(ctx, s.grant, c.call, c.key)
	}
	if err != nil {
		return s.front.callError(c.id, err)
	}
	value, err := valueOf(result)
	if err != nil {
		s.front.log.Error("result not sent", zap.String("method", c.call.Method), zap.Error(err))
		return edgeframes.CallError(c.id, edgeframes.CodeMethodError, "the result cannot be written")
	}
	return edgeframes.Result{ID: c.id, Value: value}
}

// call goes through the gates in the protocol's order, the claim before the name, and runs the operation. header is an
// idempotency key that came beside the call.
func (f *Front) call(ctx context.Context, g grant, c edgeframes.Call, header string) (any, error) {
	if g.caller == "" {
		return nil, errNoRPC
	}
	if edgeframes.ReservedMethod(c.Method) {
		return nil, errReserved
	}
	op, ok := f.methods[c.Method]
	if !ok {
		return nil, &operations.UnknownOperationError{Name: c.Method}
	}
	if g.cred.Kind == core.RoomTokenKind && !op.RoomScoped {
		return nil, errOutOfScope
	}
	args, err := op.argsOf(c.Args)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(g, op, c, args, header)
	if err != nil {
		return nil, err
	}
	result, err := f.ops.Call(ctx, op.Name, operations.Caller{
		Agent: g.caller, Room: g.room, Bound: g.cred.Kind == core.RoomTokenKind, Typed: true, Key: key,
	}, args)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, errBudget
	}
	if err == nil {
		f.slide(ctx, g.cred)
	}
	return result, err
}
