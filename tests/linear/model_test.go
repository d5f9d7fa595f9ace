package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"stele/areyouai"
)

// call is one request to a room.
type call struct {
	room string
	// side is 0 for the agent that made the listing and 1 for the one that connects.
	side int
	kind callKind
	// turn and hash are those of a send.
	turn int64
	hash string
}

type callKind string

const (
	connect callKind = "connect"
	context callKind = "context"
	send    callKind = "send"
	closing callKind = "close"
)

// answer is what came back: a status with its error code, or what was read.
type answer struct {
	status int
	code   areyouai.Code
	turn   int64
	hash   string
	state  areyouai.RoomState
}

// room is the model: where the room is in its life, its turn, and the hashes by which each side would be let through now,
// as far as they were seen. A hash is a function of the room, so that seeing two for one state is a fault.
type room struct {
	state areyouai.RoomState
	turn  int64
	// joined: the second side connected.
	joined bool
	hashes [2]string
}

const maxTurns = 12

// changed is the room after something happened in it: no hash is known any more.
func (r room) changed(state areyouai.RoomState, turn int64) room {
	return room{state: state, turn: turn, joined: r.joined || state == areyouai.StateActive}
}

// foreign tells whether a side is nobody in the room.
func (r room) foreign(side int) bool { return side == 1 && !r.joined }

// roomModel says which answers a room may give. Rooms are independent of each other.
var roomModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byRoom := map[string][]porcupine.Operation{}
		for _, op := range history {
			r := op.Input.(call).room
			byRoom[r] = append(byRoom[r], op)
		}
		parts := make([][]porcupine.Operation, 0, len(byRoom))
		for _, part := range byRoom {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return room{state: areyouai.StateOpen} },
	Step: func(state, input, output any) (bool, any) {
		next, ok := step(state.(room), input.(call), output.(answer))
		return ok, next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

func step(r room, in call, out answer) (room, bool) {
	switch {
	case in.kind == connect:
		return stepConnect(r, out)
	case r.foreign(in.side):
		return r, out.status == 403
	}
	switch in.kind {
	case context:
		if out.status != 200 || out.turn != r.turn || out.state != r.state {
			return r, false
		}
		if known := r.hashes[in.side]; known != "" && known != out.hash {
			return r, false
		}
		r.hashes[in.side] = out.hash
		return r, true
	case closing:
		// A session may close again and again.
		if out.status != 200 {
			return r, false
		}
		if r.state == areyouai.StateClosed {
			return r, true
		}
		return r.changed(areyouai.StateClosed, r.turn), true
	}
	return stepSend(r, in, out)
}

func stepConnect(r room, out answer) (room, bool) {
	switch {
	case r.state == areyouai.StateOpen:
		return r.changed(areyouai.StateActive, r.turn), out.status == 201
	case r.joined:
		return r, out.code == areyouai.CodeListingAlreadyConnected
	}
	return r, out.code == areyouai.CodeGone
}

func stepSend(r room, in call, out answer) (room, bool) {
	switch r.state {
	case areyouai.StateOpen:
		return r, out.code == areyouai.CodeRoomNotActive
	case areyouai.StateClosed:
		return r, out.code == areyouai.CodeGone
	}
	if in.turn != r.turn || int64(in.side) != r.turn%2 {
		return r, out.code == areyouai.CodeTurnMismatch
	}
	known := r.hashes[in.side]
	switch {
	case out.code == areyouai.CodeStaleBundleHash:
		return r, known == "" || known != in.hash
	case out.status != 201 || out.turn != r.turn || known != "" && known != in.hash:
		return r, false
	}
	if r.turn+1 == maxTurns {
		return r.changed(areyouai.StateClosed, r.turn+1), true
	}
	return r.changed(areyouai.StateActive, r.turn+1), true
}
