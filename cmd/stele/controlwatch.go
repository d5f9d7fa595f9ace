package main

import (
	"context"

	"stele/core"
)

// whichRoom names a room by its id, or by its name where only one has it.
type whichRoom struct {
	Room string `json:"room"`
}

// watching is a room with the token of a viewer that was let into it.
type watching struct {
	Room  string `json:"room"`
	Token string `json:"token"`
}

// watchRoom lets whoever runs the gateway watch a room, as people with its code do. The viewer ends when it is not heard of.
func watchRoom() control[whichRoom, watching] {
	return control[whichRoom, watching]{
		name: "watch-room",
		run: func(ctx context.Context, node *core.Node, req whichRoom) (watching, error) {
			room, err := findRoom(node, req.Room)
			if err != nil {
				return watching{}, err
			}
			token, err := node.AdmitViewer(ctx, room)
			return watching{Room: room, Token: token}, err
		},
	}
}

// unwatchRoom ends such a viewer.
func unwatchRoom() control[watching, watching] {
	return control[watching, watching]{
		name: "unwatch-room",
		run: func(ctx context.Context, node *core.Node, req watching) (watching, error) {
			return watching{Room: req.Room}, node.LeaveViewers(ctx, req.Room, req.Token)
		},
	}
}
