package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	agentswitch "stele/switch"
)

// say posts a message to the one room of an agent:
//
//	say OUT NAME TEXT
func say(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: say out name text")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	client := clientOf(ts, args[0], args[1])
	rooms, err := client.ListRooms(ctx, false)
	ts.Check(err)
	if len(rooms) != 1 {
		ts.Fatalf("%s is in %d rooms", args[1], len(rooms))
	}
	session, err := client.Connect(ctx, agentswitch.StreamOptions{Rooms: []string{rooms[0].RoomID}})
	ts.Check(err)
	defer session.Close()
	_, err = session.PostMessage(ctx, args[2], "")
	ts.Check(err)
}
