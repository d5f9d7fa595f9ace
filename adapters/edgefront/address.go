package edgefront

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"stele/core"
)

// address is where a socket was opened: the two names of its path, not looked up yet.
type address struct{ agent, conversation string }

// addressOf reads the path. What can never be the name of anything is refused at once: that tells nobody what exists.
func addressOf(c echo.Context) (address, error) {
	var a address
	for param, into := range map[string]*string{"name": &a.agent, "conversation": &a.conversation} {
		name, err := pathParam(c, param)
		if err != nil {
			return a, err
		}
		if !utf8.ValidString(name) || strings.TrimSpace(name) == "" || len(name) > core.MaxConversationBytes {
			return a, refuse(http.StatusBadRequest, "the name of an agent or a conversation is 1 to 256 bytes of UTF-8 and not blank")
		}
		*into = name
	}
	return a, nil
}

// pathParam is a part of the path as it is meant.
func pathParam(c echo.Context, param string) (string, error) {
	if c.Request().URL.RawPath == "" {
		return c.Param(param), nil
	}
	// The router has matched the escaped form of the path, so its parts are escaped too.
	part, err := url.PathUnescape(c.Param(param))
	if err != nil {
		return "", refuse(http.StatusBadRequest, "the address is not escaped as it should be")
	}
	return part, nil
}

// agentOf finds the agent of an address. An id is looked up first, so that no handle can be made to look like one.
func (f *Front) agentOf(name string) (core.Agent, bool) {
	if a, ok := f.node.Agent(name); ok {
		return a, true
	}
	return f.node.AgentByHandle(name)
}

// roomOf finds the room of a conversation, or makes it if the policy lets this caller. A caller is nil for a client
// without a credential of its own, who then counts as from; mayCreate is false for one whose credential opens other things.
func (f *Front) roomOf(
	ctx context.Context, agent core.Agent, name string, caller *core.Agent, from string, mayCreate bool,
) (string, bool, error) {
	if room, ok := f.node.Conversation(agent.ID, name); ok {
		return room, true, nil
	}
	if !mayCreate || !f.creates(caller != nil) || strings.HasPrefix(name, core.RoomPrefix) {
		// A name that looks like an id meant a room that exists, and not a new one of that name.
		return "", false, nil
	}
	// Another node may have made it a moment ago, under an id that is not derived from the address.
	if f.node.Shared() {
		if err := f.node.CatchUp(ctx); err != nil {
			return "", false, fmt.Errorf("catch up: %w", err)
		}
	}
	if room, ok := f.node.Conversation(agent.ID, name); ok {
		return room, true, nil
	}
	if caller != nil {
		from = caller.ID
	}
	what := address{agent.ID, name}
	if wait, ok := f.created.take(from, what, f.node.Now()); !ok {
		return "", false, limited(errManyRooms, "too many new conversations", wait)
	}
	room, err := f.node.OpenConversation(ctx, agent, name, caller)
	if err != nil {
		f.created.giveBack(from, what)
	}
	return room, err == nil, err
}

func (f *Front) creates(authenticated bool) bool {
	switch f.opts.Create {
	case CreateAnyone:
		return true
	case CreateAuthenticated:
		return authenticated
	}
	return false
}
