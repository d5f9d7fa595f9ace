package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"stele/core"
	"stele/internal/password"
)

// byOperator is who acts, for the record, in what a command on the gateway's machine does.
const byOperator = "operator"

// userInfo is a person as an operator sees it.
type userInfo struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Admin     bool      `json:"admin"`
	Password  bool      `json:"password"`
	Agent     string    `json:"agent_id,omitempty"`
	Tokens    int       `json:"tokens"`
	Sessions  int       `json:"sessions"`
	CreatedAt time.Time `json:"created_at"`
}

func userInfoOf(node *core.Node, u core.User) userInfo {
	info := userInfo{ID: u.ID, Name: u.Name, Admin: u.Admin, Password: u.PasswordHash != "", Agent: u.Agent, CreatedAt: u.CreatedAt}
	for _, k := range node.UserKeys(u.ID) {
		if k.What == core.UserToken {
			info.Tokens++
		} else {
			info.Sessions++
		}
	}
	return info
}

// newUserRequest asks for a person, or another password of one.
type newUserRequest struct {
	Name  string `json:"name"`
	Admin bool   `json:"admin"`
	// Password is empty for one that is made up.
	Password string `json:"password"`
}

// newUserAnswer is a person with the password, where it was made up and is shown this once.
type newUserAnswer struct {
	userInfo
	Shown string `json:"password_shown_once,omitempty"`
}

// hashed returns the hash of the password that was given, or of one that is made up and returned.
func (r newUserRequest) hashed() (hash, shown string, err error) {
	given := r.Password
	if given == "" {
		shown = rand.Text()
		given = shown
	}
	hash, err = password.Make(given)
	return hash, shown, err
}

func createUser() control[newUserRequest, newUserAnswer] {
	return control[newUserRequest, newUserAnswer]{
		name: "create-user", begins: true,
		run: func(ctx context.Context, node *core.Node, req newUserRequest) (newUserAnswer, error) {
			hash, shown, err := req.hashed()
			if err != nil {
				return newUserAnswer{}, err
			}
			u, err := node.CreateUser(core.WithActor(ctx, byOperator), core.NewUser{Name: req.Name, PasswordHash: hash, Admin: req.Admin})
			if err != nil {
				return newUserAnswer{}, err
			}
			return newUserAnswer{userInfo: userInfoOf(node, u), Shown: shown}, nil
		},
	}
}

func setPassword() control[newUserRequest, newUserAnswer] {
	return control[newUserRequest, newUserAnswer]{
		name: "set-password",
		run: func(ctx context.Context, node *core.Node, req newUserRequest) (newUserAnswer, error) {
			u, err := userCalled(node, req.Name)
			if err != nil {
				return newUserAnswer{}, err
			}
			hash, shown, err := req.hashed()
			if err != nil {
				return newUserAnswer{}, err
			}
			if err := node.SetPassword(core.WithActor(ctx, byOperator), u.ID, hash, ""); err != nil {
				return newUserAnswer{}, err
			}
			u, _ = node.User(u.ID)
			return newUserAnswer{userInfo: userInfoOf(node, u), Shown: shown}, nil
		},
	}
}

func listUsers() control[struct{}, []userInfo] {
	return control[struct{}, []userInfo]{
		name: "list-users",
		run: func(_ context.Context, node *core.Node, _ struct{}) ([]userInfo, error) {
			out := []userInfo{}
			for _, u := range node.Users() {
				out = append(out, userInfoOf(node, u))
			}
			return out, nil
		},
	}
}

// whichUser names a person.
type whichUser struct {
	Name string `json:"name"`
	// Lasts bounds a token that is made, in seconds; 0: until it is revoked. Label is what it is called.
	Lasts int64  `json:"lasts"`
	Label string `json:"label"`
}

// newUserToken is a token that was just made.
type newUserToken struct {
	core.UserKey
	Name string `json:"name"`
	// Token is shown this once.
	Token string `json:"token"`
}

func createUserToken() control[whichUser, newUserToken] {
	return control[whichUser, newUserToken]{
		name: "create-user-token",
		run: func(ctx context.Context, node *core.Node, req whichUser) (newUserToken, error) {
			u, err := userCalled(node, req.Name)
			if err != nil {
				return newUserToken{}, err
			}
			var until time.Time
			if req.Lasts > 0 {
				until = node.Now().Add(time.Duration(req.Lasts) * time.Second)
			}
			token, key, err := node.NewUserToken(core.WithActor(ctx, byOperator), u.ID, req.Label, until)
			return newUserToken{UserKey: key, Name: u.Name, Token: token}, err
		},
	}
}

func deleteUser() control[whichUser, userInfo] {
	return control[whichUser, userInfo]{
		name: "delete-user",
		run: func(ctx context.Context, node *core.Node, req whichUser) (userInfo, error) {
			u, err := userCalled(node, req.Name)
			if err != nil {
				return userInfo{}, err
			}
			info := userInfoOf(node, u)
			return info, node.DeleteUser(core.WithActor(ctx, byOperator), u.ID)
		},
	}
}

func userCalled(node *core.Node, name string) (core.User, error) {
	u, ok := node.UserByName(name)
	if !ok {
		return core.User{}, fmt.Errorf("%w: %q", core.ErrNoUser, name)
	}
	return u, nil
}
