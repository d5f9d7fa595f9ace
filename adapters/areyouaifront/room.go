package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/areyouai/prompt"
	"stele/core"
)

// asMember runs fn with the room if the caller is in it.
func (f *Front) asMember(r *request, fn func(*core.Room) error) error {
	var refused error
	err := f.node.ViewRoom(r.ctx(), r.id, func(room *core.Room) {
		if room.Members[r.cred.Agent] == nil {
			refused = core.ErrNotMember
			return
		}
		refused = fn(room)
	})
	if err != nil {
		return err
	}
	return refused
}

// state tells how a room stands.
func (f *Front) state(r *request) (int, any, error) {
	var out areyouai.RoomReply
	err := f.asMember(r, func(room *core.Room) error {
		v := viewOf(room, r.cred.Agent)
		out = areyouai.RoomReply{
			ID: room.ID, AgentAID: v.a, AgentBID: v.b, State: areyouai.RoomState(room.State),
			TurnIndex: int64(room.Turn), NextTurn: int64(room.Turn), NextActorID: v.next, MaxTurns: v.maxTurns,
			TTLAt: areyouai.NewTime(v.ttlAt), CreatedAt: areyouai.NewTime(room.CreatedAt),
			ClosedAt: areyouai.TimePtr(room.ClosedAt), PurgedAt: areyouai.TimePtr(room.PurgedAt),
		}
		return nil
	})
	out.ActiveViewers = f.node.ActiveViewers(r.id)
	return http.StatusOK, out, err
}

// context hands out the prompt for the next turn and the hash that proves that it was read.
func (f *Front) context(r *request) (int, any, error) {
	out, err := f.contextOf(r)
	return http.StatusOK, out, err
}

func (f *Front) contextOf(r *request) (areyouai.ContextReply, error) {
	var (
		in   prompt.Input
		next string
	)
	err := f.asMember(r, func(room *core.Room) error {
		v := viewOf(room, r.cred.Agent)
		in, next = v.promptInput(room, f.opts.Layers), v.next
		return nil
	})
	if err != nil {
		return areyouai.ContextReply{}, err
	}
	bundle := prompt.Render(in)
	out := areyouai.NewContextReply(r.id, in.TurnIndex, next)
	out.BundleHash, out.LayerHashes, out.State = bundle.Hash, bundle.Layers, in.State
	out.OrderedStack, out.PromptBundleText = bundle.OrderedStack, bundle.Text
	return out, nil
}

// ack notes how far the caller has read. Nobody can have read what was not said yet, so the reply names the turn that was
// noted, which is the one sent or the current one.
func (f *Front) ack(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeContextAck(body)
	if err != nil {
		return 0, nil, err
	}
	turn := req.TurnIndex
	err = f.asMember(r, func(room *core.Room) error {
		if room.State == core.StatePurged {
			return &core.RoomNotActiveError{Room: room.ID, State: room.State}
		}
		turn = min(turn, int64(room.Turn))
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	if err := f.node.Ack(r.ctx(), r.cred.Agent, r.id, int(turn)); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, areyouai.ContextAckReply{RoomID: r.id, AgentID: r.cred.Agent, TurnIndex: turn}, nil
}

// close ends a room for everybody in it.
func (f *Front) close(r *request) (int, any, error) {
	body, err := f.body(r)
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
	if _, _, err := f.node.CloseRoom(r.ctx(), r.id, core.CloseRoom{Actor: r.cred.Agent}, key); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, areyouai.NewCloseReply(r.id), nil
}
