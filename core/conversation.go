package core

import (
	"context"
	"errors"
)

// Conversation finds the room that an address of agent and name means: the room of that id, or else the oldest room of
// that name, in which the agent is a member.
func (n *Node) Conversation(agent, name string) (room string, ok bool) {
	if n.index.member(agent, name) {
		return name, true
	}
	for _, r := range n.index.roomsOf(agent) {
		if r.Name == name {
			return r.ID, true
		}
	}
	return "", false
}

// OpenConversation finds the room of an address, or makes an open-floor one with the agent and, if there is one, the
// caller in it. The room's id is derived from the address, so that several first uses at once make one room.
func (n *Node) OpenConversation(ctx context.Context, agent Agent, name string, caller *Agent) (room string, err error) {
	if room, ok := n.Conversation(agent.ID, name); ok {
		return room, nil
	}
	if err := checkConversationName(name); err != nil {
		return "", err
	}
	cmd := CreateRoom{
		ID:      DerivedID(RoomPrefix, "conversation", agent.ID, name),
		Facts:   RoomFacts{Name: name, Conversation: name, Owner: agent.Owner},
		Members: []NewMember{{Agent: agent.ID, Name: agent.Name, Handle: agent.Handle}},
	}
	if caller != nil {
		cmd.Facts.Creator = caller.ID
		if caller.ID != agent.ID {
			cmd.Members = append(cmd.Members, NewMember{Agent: caller.ID, Name: caller.Name, Handle: caller.Handle})
		}
	}
	_, _, err = n.CreateRoom(ctx, cmd, nil)
	if errors.Is(err, ErrRoomExists) {
		err = nil
	}
	return cmd.ID, err
}

// MaxConversationBytes bounds the name of a conversation.
const MaxConversationBytes = 256

func checkConversationName(name string) error {
	if len(name) > MaxConversationBytes {
		return &TooLongError{Field: "conversation", Unit: "bytes", Max: MaxConversationBytes, Got: len(name)}
	}
	return nil
}
