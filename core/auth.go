package core

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"
)

// CredentialKind says what a secret is.
type CredentialKind int

// The kinds of credential.
const (
	NoCredential CredentialKind = iota
	APIKey
	SessionToken
	RoomTokenKind
	RegistrationToken
)

// Sizes of secrets in random bytes.
const (
	secretBytes = 24
	tokenBytes  = 32
)

// Prefixes of secrets (areyouai protocol).
const (
	apiKeyPrefix    = "ak_"
	sessionPrefix   = "as_"
	roomTokenPrefix = "rat_"
)

// Credential is what a secret proves.
type Credential struct {
	Kind CredentialKind
	// Agent is whose it is; empty for a registration token.
	Agent string
	// Room is the one room a room token opens.
	Room string
	// Owner is whom a registration token belongs to.
	Owner string
	// Until is when it ends; zero: it does not end by itself.
	Until time.Time
	hash  string
	// generation is that of the agent's key that it rests on.
	generation int
}

// Authenticate tells what a secret proves, NoCredential when nothing. Room tokens end with their room.
func (n *Node) Authenticate(secret string) Credential {
	hash := HashSecret(secret)
	if c := n.directoryCredential(hash); c.Kind != NoCredential {
		return c
	}
	c := n.tokenCredential(hash)
	if agent, ok := n.Agent(c.Agent); !ok || c.generation != agent.KeyGeneration {
		return Credential{}
	}
	return c
}

// tokenCredential finds a session or room token that has not ended by itself.
func (n *Node) tokenCredential(hash string) Credential {
	now := n.now()
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	if s, ok := n.index.s.Sessions[hash]; ok && now.Before(s.Until) {
		return Credential{Kind: SessionToken, Agent: s.Agent, Until: s.Until, hash: hash, generation: s.Generation}
	}
	if t, ok := n.index.byRoomToken[hash]; ok && now.Before(t.until) {
		room := n.index.s.Rooms[t.room]
		if room != nil && (room.State == StateOpen || room.State == StateActive) {
			return Credential{
				Kind: RoomTokenKind, Agent: t.agent, Room: t.room, Until: t.until, hash: hash, generation: t.generation,
			}
		}
	}
	return Credential{}
}

func (n *Node) directoryCredential(hash string) (c Credential) {
	n.directory.view(func(d *Directory) {
		if id, ok := d.keys[hash]; ok && sameHash(d.Agents[id].KeyHash, hash) {
			c = Credential{Kind: APIKey, Agent: id, hash: hash, generation: d.Agents[id].KeyGeneration}
		} else if t, ok := d.Tokens[hash]; ok {
			c = Credential{Kind: RegistrationToken, Owner: t.Owner, hash: hash}
		}
	})
	return c
}

// sameHash compares without telling by its duration where two hashes differ.
func sameHash(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// OpenSession makes a session token for the agent that an API key belongs to, valid for the life of sessions and as
// long as that key; earlier ones stay valid. Errors: [ErrNoAgent] when the agent is gone.
func (n *Node) OpenSession(ctx context.Context, key Credential) (token string, until time.Time, err error) {
	if _, ok := n.Agent(key.Agent); !ok {
		return "", time.Time{}, ErrNoAgent
	}
	token = n.ids.Secret(sessionPrefix, secretBytes)
	c := n.agentCell(key.Agent)
	defer c.unpin()
	until, _, err = propose(ctx, c, openSession{hash: HashSecret(token), generation: key.generation}, nil)
	return token, until, err
}

// MintRoomToken makes a token for one room, valid for the life of room tokens; earlier ones of the same agent and room end.
// Errors: [ErrNoAgent], [ErrNoRoom], [ErrNotMember], *[RoomNotActiveError].
func (n *Node) MintRoomToken(ctx context.Context, agent, room string) (token string, until time.Time, err error) {
	if err := n.checkMember(agent, room); err != nil {
		return "", time.Time{}, err
	}
	if sum, _ := n.Room(room); sum.State == StateClosed || sum.State == StatePurged {
		return "", time.Time{}, &RoomNotActiveError{Room: room, State: sum.State}
	}
	holder, ok := n.Agent(agent)
	if !ok {
		return "", time.Time{}, ErrNoAgent
	}
	token = n.ids.Secret(roomTokenPrefix, secretBytes)
	c := n.agentCell(agent)
	defer c.unpin()
	cmd := mintRoomToken{room: room, hash: HashSecret(token), generation: holder.KeyGeneration}
	until, _, err = propose(ctx, c, cmd, nil)
	return token, until, err
}

// UseRoomToken moves the end of a room token that is about to end. Any other credential is left as it is.
func (n *Node) UseRoomToken(ctx context.Context, cred Credential) error {
	if cred.Kind != RoomTokenKind || cred.Until.Sub(n.now()) > n.opts.Lives.RoomTokenSlide {
		return nil
	}
	c := n.agentCell(cred.Agent)
	defer c.unpin()
	_, _, err := propose(ctx, c, extendRoomToken{room: cred.Room, hash: cred.hash}, nil)
	if unwritable(err) {
		// The token holds for what is left of it.
		return nil
	}
	return err
}

// Ack records that the agent has read a room up to a turn.
func (n *Node) Ack(ctx context.Context, agent, room string, turn int) error {
	c := n.agentCell(agent)
	defer c.unpin()
	_, _, err := propose(ctx, c, AckContext{Room: room, Turn: turn}, nil)
	return err
}

// HasCodeForm tells whether a secret looks like a code for people, so that it may be the code of some room.
func HasCodeForm(secret string) bool { return strings.HasPrefix(secret, humanCodePrefix) }

// HumanCodeOpens tells whether the code lets people watch the room: it is the room's, it has not ended, and the room was
// not purged.
func (n *Node) HumanCodeOpens(ctx context.Context, room, code string) (opens bool, err error) {
	var ended *RoomNotActiveError
	switch err := n.CheckHumanCode(ctx, room, code); {
	case errors.Is(err, ErrWrongCode), errors.As(err, &ended):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

// StillValid tells whether what was authenticated before would be again: the key was not replaced, the session or token
// has not ended, its room is open.
func (n *Node) StillValid(c Credential) bool {
	if d := n.directoryCredential(c.hash); d.Kind == c.Kind && d.Kind != NoCredential {
		return d.Agent == c.Agent
	}
	got := n.tokenCredential(c.hash)
	agent, ok := n.Agent(got.Agent)
	return ok && got.Kind == c.Kind && got.Agent == c.Agent && got.generation == agent.KeyGeneration
}
