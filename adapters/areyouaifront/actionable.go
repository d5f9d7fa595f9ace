package areyouaifront

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"stele/areyouai"
	"stele/core"
)

// mintsAtOnce is how many room tokens are made at the same time for one call. They share the writes of the agent's own
// stream, so that a call for many rooms takes about as long as one for a few.
const mintsAtOnce = 64

// actionableRooms tells a client that lost its place on the agent stream where it must act and what has ended. What time
// has done to the rooms takes effect first.
func (f *Front) actionableRooms(r *request) (int, any, error) {
	f.metrics.recovery()
	agent, now := r.cred.Agent, f.node.Now()
	for _, room := range f.node.RoomsOf(agent) {
		if err := f.node.Evaluate(r.ctx(), room.ID); err != nil {
			return 0, nil, err
		}
	}
	turns := f.openTurns(r.ctx(), agent)
	var (
		actionable []areyouai.ActionableRoom
		terminal   []areyouai.TerminalRoom
	)
	for _, sum := range f.node.RoomsOf(agent) {
		turn, open := turns[sum.ID]
		switch {
		case endedLately(&sum, now):
			terminal = append(terminal, areyouai.TerminalRoom{
				RoomID: sum.ID, RoomState: areyouai.RoomState(sum.State),
				ClosedAt: areyouai.TimePtr(sum.ClosedAt), PurgedAt: areyouai.TimePtr(sum.PurgedAt),
			})
		case sum.State == core.StateActive && sum.NextActor() == agent:
			actionable = append(actionable, actionableRoom(sum.ID, agent, sum.Turn))
		case sum.State == core.StateActive && open:
			actionable = append(actionable, actionableRoom(sum.ID, agent, turn))
		}
	}
	actionable, err := f.mintTokens(r.ctx(), agent, actionable)
	return http.StatusOK, areyouai.NewActionableReply(actionable, terminal), err
}

// openTurns are the turns that wait for the agent in rooms with an open floor, by room. Everybody may speak there at any
// time, so that only being spoken to is a reason to act.
func (f *Front) openTurns(ctx context.Context, agent string) map[string]int {
	turns := map[string]int{}
	for _, d := range f.node.Waiting(ctx, agent) {
		if d.Kind == core.TurnReady {
			turns[d.Room] = d.Turn
		}
	}
	return turns
}

func actionableRoom(room, agent string, turn int) areyouai.ActionableRoom {
	return areyouai.ActionableRoom{
		RoomID: room, RoomState: areyouai.StateActive, NextTurn: int64(turn), NextActorID: agent, AgentID: agent,
	}
}

// endedLately tells whether a room closed or was purged within [areyouai.TerminalWindow].
func endedLately(sum *core.Summary, now time.Time) bool {
	since := now.Add(-areyouai.TerminalWindow)
	switch sum.State {
	case core.StateClosed:
		return sum.ClosedAt.After(since)
	case core.StatePurged:
		return sum.ClosedAt.After(since) || sum.PurgedAt.After(since)
	}
	return false
}

// mintTokens puts a fresh token into each of the rooms and leaves out those that ended meanwhile.
func (f *Front) mintTokens(ctx context.Context, agent string, rooms []areyouai.ActionableRoom) ([]areyouai.ActionableRoom, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(mintsAtOnce)
	for i := range rooms {
		group.Go(func() error {
			room := &rooms[i]
			token, until, err := f.node.MintRoomToken(ctx, agent, room.RoomID)
			var ended *core.RoomNotActiveError
			if errors.As(err, &ended) || errors.Is(err, core.ErrNotMember) {
				return nil
			}
			room.Token, room.ExpiresAt = token, areyouai.NewTime(until)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rooms, func(r areyouai.ActionableRoom) bool { return r.Token == "" }), nil
}
