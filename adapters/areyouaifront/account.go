package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// register makes an agent. It belongs to no owner, because this door asks for no registration token. It counts as one
// that comes by to read when it likes: a client of this protocol holds no lease by which others could see it alive.
func (f *Front) register(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeRegister(body)
	if err != nil {
		return 0, nil, err
	}
	made, err := f.node.Register(r.ctx(), core.Registration{
		Agent: core.Agent{Name: req.Name, Model: core.ModelPassive}, DeriveHandle: true,
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, areyouai.RegisterReply{AgentID: made.Agent.ID, APIKey: made.Key}, nil
}

// login exchanges an API key, whatever door gave it out, for a session token.
func (f *Front) login(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeLogin(body)
	if err != nil {
		return 0, nil, err
	}
	if err := f.catchUp(r.ctx()); err != nil {
		return 0, nil, err
	}
	cred := f.node.Authenticate(req.APIKey)
	if cred.Kind != core.APIKey {
		return 0, nil, areyouai.NewError(areyouai.CodeUnauthorized)
	}
	token, _, err := f.node.OpenSession(r.ctx(), cred)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, areyouai.LoginReply{SessionToken: token}, nil
}
