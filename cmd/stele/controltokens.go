package main

import (
	"context"
	"fmt"

	"stele/core"
)

// controls lists everything that can be asked of a gateway at its control socket.
func controls() []handled {
	return []handled{
		createToken().handled(), listTokens().handled(), revokeTokens().handled(),
		listAgents().handled(), rotateKey().handled(), deleteAgent().handled(), setPolicy().handled(), sendCommand().handled(),
		watchRoom().handled(), unwatchRoom().handled(),
		createUser().handled(), setPassword().handled(), listUsers().handled(), createUserToken().handled(), deleteUser().handled(),
	}
}

// ofOwner narrows to what belongs to an owner; an empty one is no narrowing.
type ofOwner struct {
	Owner string `json:"owner"`
}

func (o ofOwner) matches(owner string) bool { return o.Owner == "" || o.Owner == owner }

func (o ofOwner) String() string {
	if o.Owner == "" {
		return ""
	}
	return " of " + o.Owner
}

// newToken is a registration token that was just made.
type newToken struct {
	core.TokenInfo
	// Token is shown this once.
	Token string `json:"token"`
}

func createToken() control[ofOwner, newToken] {
	return control[ofOwner, newToken]{
		name: "create-token", begins: true,
		run: func(ctx context.Context, node *core.Node, req ofOwner) (newToken, error) {
			token, err := node.NewRegistrationToken(ctx, req.Owner)
			if err != nil {
				return newToken{}, err
			}
			info, err := node.TokenInfo(token)
			return newToken{TokenInfo: info, Token: token}, err
		},
	}
}

func listTokens() control[ofOwner, []core.TokenInfo] {
	return control[ofOwner, []core.TokenInfo]{
		name: "list-tokens",
		run: func(_ context.Context, node *core.Node, req ofOwner) ([]core.TokenInfo, error) {
			out := []core.TokenInfo{}
			for _, t := range node.RegistrationTokens() {
				if req.matches(t.Owner) {
					out = append(out, t)
				}
			}
			return out, nil
		},
	}
}

// whichTokens names registration tokens by their ids, or all of an owner.
type whichTokens struct {
	ofOwner
	IDs []string `json:"ids"`
	All bool     `json:"all"`
}

func revokeTokens() control[whichTokens, []core.TokenInfo] {
	return control[whichTokens, []core.TokenInfo]{
		name: "revoke-tokens",
		run: func(ctx context.Context, node *core.Node, req whichTokens) ([]core.TokenInfo, error) {
			chosen, err := req.choose(node.RegistrationTokens())
			if err != nil {
				return nil, err
			}
			ids := make([]string, len(chosen))
			for i, t := range chosen {
				ids[i] = t.ID
			}
			return chosen, node.RevokeTokens(ctx, ids...)
		},
	}
}

// choose picks the tokens that are meant.
func (w whichTokens) choose(all []core.TokenInfo) ([]core.TokenInfo, error) {
	chosen, byID := []core.TokenInfo{}, map[string]core.TokenInfo{}
	for _, t := range all {
		if w.matches(t.Owner) {
			byID[t.ID] = t
			if w.All {
				chosen = append(chosen, t)
			}
		}
	}
	if w.All {
		return chosen, nil
	}
	for _, id := range w.IDs {
		t, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("%w%s: %q", core.ErrNoToken, w.ofOwner, id)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}
