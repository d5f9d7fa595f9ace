package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"stele/areyouai"
	"stele/internal/strictjson"
	"stele/internal/wake"
)

// areyouaiAt is a client for the gateway that printed its address into a file.
func areyouaiAt(ts *testscript.TestScript, file, key string) *areyouai.Client {
	c, err := areyouai.NewClient(gatewayAt(ts, file), areyouai.ClientOptions{APIKey: key})
	ts.Check(err)
	return c
}

// enlist registers areyouai agents, and writes the key of each to NAME.key:
//
//	enlist OUT NAME…
func enlist(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: enlist out name…")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	for _, name := range args[1:] {
		made, err := areyouaiAt(ts, args[0], "").Register(ctx, name)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name+".key"), []byte(made.APIKey+"\n"), 0o600))
	}
}

// meet lets one agent make a room of a number of turns and the other enter it, and writes the room's id to ROOM.id:
//
//	meet OUT OWNER GUEST TURNS ROOM
func meet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: meet out owner guest turns room")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	key := func(name string) string { return strings.TrimSpace(ts.ReadFile(name + ".key")) }
	var turns int64
	_, err := fmt.Sscan(args[3], &turns)
	ts.Check(err)
	listing, err := areyouaiAt(ts, args[0], key(args[1])).CreateListing(ctx, areyouai.ListingRequest{Topic: args[4], MaxTurns: turns})
	ts.Check(err)
	_, err = areyouaiAt(ts, args[0], key(args[2])).Connect(ctx, listing.ID)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[4]+".id"), []byte(listing.RoomID), 0o600))
}

// ended waits until a room is closed, as one of its agents sees it:
//
//	ended OUT NAME ROOM
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: ended out name room")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	c := areyouaiAt(ts, args[0], strings.TrimSpace(ts.ReadFile(args[1]+".key")))
	for ev, err := range c.Events(ctx, ts.ReadFile(args[2]+".id"), areyouai.EventsOptions{}) {
		ts.Check(err)
		if ev.Type == areyouai.EventRoomClosed {
			return
		}
	}
}

// replier is a program that a hook calls: the smallest agent there can be. It has nothing but what a hook gets.
func replier() {
	if err := replyOnce(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "replier:", err)
		os.Exit(1)
	}
}

func replyOnce(ctx context.Context) error {
	data, err := os.ReadFile(os.Getenv("STELE_WAKE_TOKEN_PATH"))
	if err != nil {
		return err
	}
	var token wake.Token
	if err := strictjson.Unmarshal(data, &token); err != nil {
		return err
	}
	c, err := areyouai.NewClient(os.Getenv("STELE_WAKE_API_BASE"), areyouai.ClientOptions{SessionToken: token.Token})
	if err != nil {
		return err
	}
	room := os.Getenv("STELE_WAKE_ROOM_ID")
	prompt, err := c.Context(ctx, room)
	if err != nil || prompt.NextActorID != os.Getenv("STELE_WAKE_AGENT_ID") {
		return err
	}
	if _, err := c.Ack(ctx, room, prompt.TurnIndex); err != nil {
		return err
	}
	text := fmt.Sprintf("turn %d of %s", prompt.NextTurn, prompt.NextActorID)
	_, err = c.Send(ctx, room, areyouai.SendRequest{ExpectedTurn: prompt.NextTurn, Ciphertext: text, BundleHash: prompt.BundleHash})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(os.Getenv("REPLIES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fmt.Fprintln(file, prompt.NextTurn)
	return file.Close()
}

// listen takes jobs at an address that it writes into a file, and appends each job, and the bearer it came with, to
// another:
//
//	listen ADDRESSFILE JOBFILE
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listen addressfile jobfile")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("http://"+ln.Addr().String()+"/hook"), 0o600))
	jobs := ts.MkAbs(args[1])
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := os.OpenFile(jobs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer file.Close()
		fmt.Fprintf(file, "%s ", r.Header.Get("Authorization"))
		if _, err := file.ReadFrom(http.MaxBytesReader(w, r.Body, 1<<20)); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprintln(file)
	})}
	go func() { _ = srv.Serve(ln) }()
	ts.Defer(func() { _ = srv.Close() })
}
