package edgefront

import (
	"context"
	"errors"
	"fmt"

	"stele/core"
	"stele/edgeframes"
)

// grant is what a token opens at an address.
type grant struct {
	// agent is the id of the agent that the address names: the assistant of the conversation.
	agent string
	room  string
	// caller is the id of the calling agent, empty for an anonymous client and for one that only reads.
	caller string
	cred   core.Credential
	claims []string
	// member tells that the claims rest on membership.
	member bool
	// code and viewer are the room's code for people, or the token of a viewer, that the claims rest on; empty if they rest
	// on something else.
	code, viewer string
}

// The refusals do not say what exists.
const (
	unknownToken = "this token is not valid here: use an API key, a session token, or this room's token or code"
	notOpen      = "no conversation of this name is open to you: check the address, or come with the token of a member"
)

// authorize finds out what a token opens at an address (docs, authorize; once per connection) for a client that comes from
// a network address. Errors: an *[ending] that refuses, or the core's.
func (f *Front) authorize(ctx context.Context, token string, at address, from string) (grant, error) {
	g, err := f.authorizeHere(ctx, token, at, from)
	var refusal *ending
	if errors.As(err, &refusal) && refusal.retry == 0 && f.node.Shared() {
		// The client may come with what another node has just made.
		if err := f.node.CatchUp(ctx); err != nil {
			return grant{}, fmt.Errorf("catch up: %w", err)
		}
		g, err = f.authorizeHere(ctx, token, at, from)
	}
	if errors.As(err, &refusal) && refusal.guessed != "" {
		f.opts.Guesses.Wrong(from, refusal.guessed, f.node.Now())
	}
	return g, err
}

func (f *Front) authorizeHere(ctx context.Context, token string, at address, from string) (grant, error) {
	var g grant
	if token != "" {
		g.cred = f.node.Authenticate(token)
		if g.cred.Agent == "" {
			return f.watch(ctx, token, at, from)
		}
	}
	agent, ok := f.agentOf(at.agent)
	if !ok {
		return g, refused(notOpen)
	}
	g.agent = agent.ID
	var caller *core.Agent
	if a, ok := f.node.Agent(g.cred.Agent); ok {
		caller = &a
	}
	// A room token opens one room that exists, and nothing else.
	room, ok, err := f.roomOf(ctx, agent, at.conversation, caller, from, g.cred.Kind != core.RoomTokenKind)
	if err != nil {
		return g, err
	}
	if !ok {
		return g, refused(notOpen)
	}
	g.room = room
	return f.claim(ctx, g)
}

// watch lets somebody read who comes with the code that a room's owner was given for people, or as one of the room's
// viewers, and refuses everybody else. What has not the form of a code is no guess: a client whose key was replaced comes
// back for ever, and must shut nobody out who shares its address.
func (f *Front) watch(ctx context.Context, token string, at address, from string) (grant, error) {
	agent, ok := f.agentOf(at.agent)
	if !ok {
		return grant{}, refused(unknownToken)
	}
	room, ok := f.node.Conversation(agent.ID, at.conversation)
	if !ok {
		return grant{}, refused(unknownToken)
	}
	g := grant{agent: agent.ID, room: room, claims: []string{edgeframes.ClaimRead}}
	// A viewer that comes here is heard of.
	if f.node.BeatViewer(room, token) == nil {
		g.viewer = token
		return g, nil
	}
	if !core.HasCodeForm(token) {
		return grant{}, refused(unknownToken)
	}
	if wait, _ := f.opts.Guesses.Wait(from, room, f.node.Now()); wait > 0 {
		return grant{}, limited(errManyCodes, "too many wrong codes", wait)
	}
	opens, err := f.node.HumanCodeOpens(ctx, room, token)
	if err != nil {
		return grant{}, err
	}
	if !opens {
		wrong := refused(unknownToken)
		wrong.guessed = room
		return grant{}, wrong
	}
	g.code = token
	return g, nil
}

// claim turns a credential and a room into claims.
func (f *Front) claim(ctx context.Context, g grant) (grant, error) {
	scoped := g.cred.Kind != core.RoomTokenKind || g.cred.Room == g.room
	if g.cred.Agent != "" && scoped && f.node.IsMember(g.cred.Agent, g.room) {
		g.member, g.caller = true, g.cred.Agent
		g.claims = []string{edgeframes.ClaimRead, edgeframes.ClaimRPC}
		f.slide(ctx, g.cred)
		return g, nil
	}
	if room, ok := f.node.Room(g.room); !ok || !room.ReadPublic {
		return g, refused(notOpen)
	}
	g.claims = []string{edgeframes.ClaimRead}
	return g, nil
}
