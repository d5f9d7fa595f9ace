package areyouaifront

import (
	"errors"
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// viewers lets people with a room's code watch it. They are known by tokens, which are written down; when they were heard
// of last is not.
func (f *Front) viewers(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeViewer(body)
	if err != nil {
		return 0, nil, err
	}
	if err := f.catchUp(r.ctx()); err != nil {
		return 0, nil, err
	}
	if req.Op == areyouai.ViewerJoin {
		token, err := f.joinViewers(r, req.HumanCode)
		return http.StatusCreated, areyouai.ViewerJoinReply{
			ViewerToken: token, ActiveViewers: f.node.ActiveViewers(r.id),
		}, err
	}
	if err := f.timePasses(r); err != nil {
		return 0, nil, err
	}
	if req.Op == areyouai.ViewerHeartbeat {
		err = f.node.BeatViewer(r.id, req.ViewerToken)
	} else {
		err = f.node.LeaveViewers(r.ctx(), r.id, req.ViewerToken)
	}
	return http.StatusOK, areyouai.ViewerReply{ActiveViewers: f.node.ActiveViewers(r.id)}, err
}

func (f *Front) joinViewers(r *request, code string) (token string, err error) {
	err = f.judgeCode(r, func() error {
		token, err = f.node.JoinViewers(r.ctx(), r.id, code)
		return err
	})
	return token, err
}

// judgeCode lets a human code be judged, unless too many wrong ones came before it.
func (f *Front) judgeCode(r *request, judge func() error) error {
	if _, ok := f.node.Room(r.id); !ok {
		return core.ErrNoRoom
	}
	if err := f.guess(r, r.id); err != nil {
		return err
	}
	err := judge()
	if errors.Is(err, core.ErrWrongCode) {
		f.guessed(r, r.id)
	}
	return err
}

// timePasses lets what time has done to the room take effect, before a viewer's word can hold it. A room that there is not
// has no viewers.
func (f *Front) timePasses(r *request) error {
	err := f.node.ViewRoom(r.ctx(), r.id, func(*core.Room) {})
	if errors.Is(err, core.ErrNoRoom) {
		return core.ErrNoViewer
	}
	return err
}
