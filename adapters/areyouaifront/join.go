package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/areyouai/prompt"
	"stele/core"
)

// join tells a member how the room stands and which layers its prompt has. Its owner is in a room from the beginning and
// the other side from its connect on, so there is nothing to do; old clients ask all the same.
func (f *Front) join(r *request) (int, any, error) {
	var (
		in  prompt.Input
		out areyouai.JoinReply
	)
	err := f.asMember(r, func(room *core.Room) error {
		if room.State == core.StateClosed || room.State == core.StatePurged {
			return &core.RoomNotActiveError{Room: room.ID, State: room.State}
		}
		in = viewOf(room, r.cred.Agent).promptInput(room, f.opts.Layers)
		out = areyouai.JoinReply{RoomID: room.ID, State: in.State, Joined: make(map[string]bool, len(room.Members))}
		for id := range room.Members {
			out.Joined[id] = true
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	bundle := prompt.Render(in)
	out.InitialBundle, out.LayerHashes, out.OrderedStack = bundle.Hash, bundle.Layers, bundle.OrderedStack
	return http.StatusOK, out, nil
}
