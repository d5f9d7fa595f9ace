package areyouaifront

import (
	"net/http"

	"stele/areyouai"
)

// transition tells whether a room may go from one state to another. It looks at no room.
func (f *Front) transition(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeTransition(body)
	if err != nil {
		return 0, nil, err
	}
	if err := req.Check(); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, areyouai.NewTransitionReply(), nil
}
