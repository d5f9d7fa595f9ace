package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Prefixes of ids of people and their keys, and of a token of theirs.
const (
	UserPrefix       = "usr_"
	UserKeyPrefix    = "key_"
	userSecretPrefix = "stele_"
)

// KnownTypePerson is the type of the participant that a person is.
const KnownTypePerson = "person"

// UserSessionLife is how long a browser stays signed in.
const UserSessionLife = 7 * 24 * time.Hour

// maxUserKeys bounds the keys of each kind that a person has at a time.
const maxUserKeys = 32

// Refusals that concern people. Compare with errors.Is.
var (
	// ErrNoUser: there is no person with that id or name.
	ErrNoUser = errors.New("no such user")
	// ErrNoUserKey: there is no session or token like that.
	ErrNoUserKey = errors.New("no such session or token")
	// ErrLastAdmin: without this person nobody could look after the gateway.
	ErrLastAdmin = errors.New("this is the last administrator")
)

// NewUser asks for a person.
type NewUser struct {
	Name string
	// PasswordHash is what the password package made; empty: only tokens sign in.
	PasswordHash string
	Admin        bool
}

// CreateUser lets a person sign in. Errors: *[NameTakenError],
// *[InvalidError] for a name that is none.
func (n *Node) CreateUser(ctx context.Context, u NewUser) (User, error) {
	now := n.now()
	cmd := createUser{
		user: User{ID: n.ids.New(UserPrefix, now), Name: u.Name, PasswordHash: u.PasswordHash, Admin: u.Admin},
		by:   actorOf(ctx),
	}
	user, _, err := propose(ctx, n.directory, cmd, nil)
	return user, err
}

// Participant returns the agent as which a person speaks and acts in rooms, made when it is first asked for. Errors:
// [ErrNoUser].
func (n *Node) Participant(ctx context.Context, user string) (Agent, error) {
	u, ok := n.User(user)
	if !ok {
		return Agent{}, ErrNoUser
	}
	if a, ok := n.Agent(u.Agent); ok {
		return a, nil
	}
	cmd := embodyUser{user: user, by: actorOf(ctx), agent: registerAgent{derive: true, agent: Agent{
		ID: n.ids.New(AgentPrefix, n.now()), Name: u.Name, Owner: u.Name, KnownType: KnownTypePerson, Model: ModelSession,
		// Nobody was told the secret of this hash: a person signs in instead.
		KeyHash: HashSecret(n.ids.Secret(apiKeyPrefix, secretBytes)),
	}}}
	agent, _, err := propose(ctx, n.directory, cmd, nil)
	return agent, err
}

// SetPassword gives a person another password and ends its sessions, but for the one given. When that is none of the person's
// own, somebody else does it, and its tokens end too. An empty hash takes the password away. Errors: [ErrNoUser].
func (n *Node) SetPassword(ctx context.Context, user, passwordHash, keep string) error {
	_, _, err := propose(ctx, n.directory, setPassword{user: user, hash: passwordHash, keep: keep, by: actorOf(ctx)}, nil)
	return err
}

// SetAdmin lets a person see and change everything, or no more. Errors: [ErrNoUser], [ErrLastAdmin].
func (n *Node) SetAdmin(ctx context.Context, user string, admin bool) error {
	_, _, err := propose(ctx, n.directory, setAdmin{user: user, admin: admin, by: actorOf(ctx)}, nil)
	return err
}

// DeleteUser ends a person's keys and the participant that it was; what it owns stays, and belongs to whoever has that name
// next. Errors: [ErrNoUser], [ErrLastAdmin].
func (n *Node) DeleteUser(ctx context.Context, user string) error {
	agent, _, err := propose(ctx, n.directory, deleteUser{user: user, by: actorOf(ctx)}, nil)
	if err != nil {
		return err
	}
	if agent != "" {
		n.endDeparture(ctx, agent)
	}
	return nil
}

// User returns a person by id.
func (n *Node) User(id string) (u User, ok bool) {
	n.directory.view(func(d *Directory) {
		if found := d.Users[id]; found != nil {
			u, ok = *found, true
		}
	})
	return u, ok
}

// UserByName returns the person who signs in with a name.
func (n *Node) UserByName(name string) (u User, ok bool) {
	n.directory.view(func(d *Directory) {
		if found := d.userNamed(name); found != nil {
			u, ok = *found, true
		}
	})
	return u, ok
}

// Users lists everybody who can sign in, by name.
func (n *Node) Users() (out []User) {
	n.directory.view(func(d *Directory) {
		for _, u := range d.Users {
			out = append(out, *u)
		}
	})
	slices.SortFunc(out, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// HasAdmin tells whether somebody can look after the gateway. Once somebody could, somebody always can.
func (n *Node) HasAdmin() (has bool) {
	n.directory.view(func(d *Directory) { has = d.admins() > 0 })
	return has
}

func (d *Directory) userNamed(name string) *User {
	for _, u := range d.Users {
		if u.Name == name {
			return u
		}
	}
	return nil
}

// isPerson tells whether an agent is the participant of a person.
func (d *Directory) isPerson(agent string) bool {
	for _, u := range d.Users {
		if u.Agent == agent {
			return true
		}
	}
	return false
}

func (d *Directory) admins() (n int) {
	for _, u := range d.Users {
		if u.Admin {
			n++
		}
	}
	return n
}

func (d *Directory) applyUser(p any) {
	switch e := p.(type) {
	case *UserSetEvent:
		u := e.User
		set(&d.Users, u.ID, &u)
	case *UserDeletedEvent:
		delete(d.Users, e.ID)
		for hash, k := range d.UserKeys {
			if k.User == e.ID {
				delete(d.UserKeys, hash)
			}
		}
	case *UserKeyAddedEvent:
		set(&d.UserKeys, e.Hash, e.UserKey)
	case *UserKeyRemovedEvent:
		delete(d.UserKeys, e.Hash)
	}
}
