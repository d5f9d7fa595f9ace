package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// accessToken hands out a token that opens one room to one member; the one before it ends. A room that has ended is gone,
// also when its time to live passed only now.
func (f *Front) accessToken(r *request) (int, any, error) {
	err := f.asMember(r, func(room *core.Room) error {
		if room.State == core.StateClosed || room.State == core.StatePurged {
			return &core.RoomNotActiveError{Room: room.ID, State: room.State}
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	token, until, err := f.node.MintRoomToken(r.ctx(), r.cred.Agent, r.id)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, areyouai.NewAccessTokenReply(r.id, r.cred.Agent, token, areyouai.NewTime(until)), nil
}
