package core

import (
	"context"
	"slices"
	"strings"
	"time"
)

// OpenUserSession signs a person in for [UserSessionLife], or until an earlier limit, if that is set: a session that a token
// opened does not outlive it. label says where, such as the browser's name. The oldest session of a person who has too many
// ends. Errors: [ErrNoUser].
func (n *Node) OpenUserSession(ctx context.Context, user, label string, limit time.Time) (secret string, key UserKey, err error) {
	until := n.now().Add(UserSessionLife)
	if !limit.IsZero() && limit.Before(until) {
		until = limit
	}
	return n.addUserKey(ctx, UserKey{User: user, What: UserSession, Label: label, Until: until})
}

// NewUserToken makes a token that signs in as a person until a time; the zero time: until it is revoked. Errors: [ErrNoUser],
// *[InvalidError].
func (n *Node) NewUserToken(ctx context.Context, user, label string, until time.Time) (secret string, key UserKey, err error) {
	return n.addUserKey(ctx, UserKey{User: user, What: UserToken, Label: label, Until: until})
}

func (n *Node) addUserKey(ctx context.Context, key UserKey) (string, UserKey, error) {
	if err := checkBytes("label", key.Label, MaxPersonText); err != nil {
		return "", UserKey{}, err
	}
	secret := n.ids.Secret(userSecretPrefix, tokenBytes)
	key.ID = n.ids.New(UserKeyPrefix, n.now())
	key, _, err := propose(ctx, n.directory, addUserKey{key: key, hash: HashSecret(secret), by: actorOf(ctx)}, nil)
	if err != nil {
		return "", UserKey{}, err
	}
	return secret, key, nil
}

// RevokeUserKey ends a session or token of a person. Errors: [ErrNoUserKey].
func (n *Node) RevokeUserKey(ctx context.Context, user, id string) error {
	_, _, err := propose(ctx, n.directory, removeUserKey{user: user, id: id, by: actorOf(ctx)}, nil)
	return err
}

// UserKeys lists the sessions and tokens of a person that have not ended, oldest first.
func (n *Node) UserKeys(user string) (out []UserKey) {
	now := n.now()
	n.directory.view(func(d *Directory) {
		for _, k := range d.UserKeys {
			if k.User == user && k.stands(now) {
				out = append(out, k)
			}
		}
	})
	slices.SortFunc(out, func(a, b UserKey) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// AuthenticateUser tells whose session or token a secret is.
func (n *Node) AuthenticateUser(secret string) (u User, key UserKey, ok bool) {
	hash, now := HashSecret(secret), n.now()
	n.directory.view(func(d *Directory) {
		// The look-up is by a hash of what was given, which nobody can choose to come near to another one.
		k, found := d.UserKeys[hash]
		if !found || !k.stands(now) || d.Users[k.User] == nil {
			return
		}
		u, key, ok = *d.Users[k.User], k, true
	})
	return u, key, ok
}

func (k UserKey) stands(now time.Time) bool { return k.Until.IsZero() || now.Before(k.Until) }

// addUserKey adds a key, and takes those away that have ended, or are too many.
type addUserKey struct {
	key  UserKey
	hash string
	by   string
}

func (c addUserKey) decide(d *Directory, env Env) ([]Payload, UserKey, error) {
	if d.Users[c.key.User] == nil {
		return nil, UserKey{}, ErrNoUser
	}
	var events []Payload
	var alive []string
	for _, hash := range sortedKeys(d.UserKeys) {
		switch k := d.UserKeys[hash]; {
		case k.User != c.key.User || k.What != c.key.What:
		case k.stands(env.Now):
			alive = append(alive, hash)
		default:
			events = append(events, &UserKeyRemovedEvent{Hash: hash, By: c.by})
		}
	}
	if len(alive) >= maxUserKeys {
		if c.key.What == UserToken {
			return nil, UserKey{}, full("label", "tokens", maxUserKeys)
		}
		oldest := slices.MinFunc(alive, func(a, b string) int { return d.UserKeys[a].CreatedAt.Compare(d.UserKeys[b].CreatedAt) })
		events = append(events, &UserKeyRemovedEvent{Hash: oldest, By: c.by})
	}
	key := c.key
	key.CreatedAt = env.Now
	return append(events, &UserKeyAddedEvent{Hash: c.hash, UserKey: key, By: c.by}), key, nil
}

// removeUserKey ends a key, named by its id.
type removeUserKey struct{ user, id, by string }

func (c removeUserKey) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	for hash, k := range d.UserKeys {
		if k.User == c.user && k.ID == c.id {
			return []Payload{&UserKeyRemovedEvent{Hash: hash, By: c.by}}, struct{}{}, nil
		}
	}
	return nil, struct{}{}, ErrNoUserKey
}
