package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	agentswitch "stele/switch"
)

// scriptPatience is how long a script waits for what must come.
const scriptPatience = time.Minute

// gatewayAt is the address that a gateway printed into a file.
func gatewayAt(ts *testscript.TestScript, file string) string {
	for line := range strings.Lines(ts.ReadFile(file)) {
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on "); ok {
			return url
		}
	}
	ts.Fatalf("%s names no address", file)
	return ""
}

func clientAt(ts *testscript.TestScript, file string) *agentswitch.Client {
	c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: gatewayAt(ts, file)})
	ts.Check(err)
	return c
}

// clientOf is the client of an agent that register made.
func clientOf(ts *testscript.TestScript, file, name string) *agentswitch.Client {
	return clientAt(ts, file).WithAgent(strings.TrimSpace(ts.ReadFile(name+".id")), strings.TrimSpace(ts.ReadFile(name+".key")))
}

// register registers an agent with the token in a file, and writes its id and key to NAME.id and NAME.key:
//
//	register OUT TOKENFILE NAME [obeys]
//
// One that obeys takes every command at any time.
func register(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: register out tokenfile name [obeys]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	token, name := strings.TrimSpace(ts.ReadFile(args[1])), args[2]
	made, err := clientAt(ts, args[0]).Register(ctx, token, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: name, Description: "d",
	})
	if neg {
		if err == nil {
			ts.Fatalf("%s was registered", name)
		}
		return
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(name+".id"), []byte(made.ID), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(name+".key"), []byte(made.APIKey), 0o600))
	if len(args) > 3 {
		patch(ctx, ts, gatewayAt(ts, args[0])+"/agents/"+made.ID, made.APIKey, agentswitch.AgentPatch{Profile: &agentswitch.IntegrationProfile{
			ConnectionModel: agentswitch.ModelAlwaysOn, MessageExchange: true,
			CommandCapabilities: agentswitch.CommandCapabilities{
				Reset: agentswitch.CapabilityAlways, Compact: agentswitch.CapabilityAlways, Interrupt: agentswitch.CapabilityAlways,
			},
		}})
	}
}

func patch(ctx context.Context, ts *testscript.TestScript, url, key string, change agentswitch.AgentPatch) {
	body, err := json.Marshal(change)
	ts.Check(err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPatch, url, strings.NewReader(string(body)))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(res.Body.Close())
	if res.StatusCode != http.StatusOK {
		ts.Fatalf("PATCH: %s", res.Status)
	}
}

// whoami finds out whether the key in NAME.key opens the gateway:
//
//	[!] whoami OUT NAME
func whoami(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: whoami out name")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	err := clientOf(ts, args[0], args[1]).Call(ctx, agentswitch.OpListRooms, nil, nil)
	if opens := err == nil; opens == neg {
		ts.Fatalf("the key of %s opens the gateway: %v (%v)", args[1], opens, err)
	}
}

// enter makes a room with the agent and others in it:
//
//	enter OUT NAME ROOM OTHER…
func enter(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: enter out name room other…")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	ts.Check(clientOf(ts, args[0], args[1]).Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": args[2], "description": "", "agent_names": append([]string{args[1]}, args[3:]...),
	}, nil))
}

// heard waits until the agent's stream, read from its beginning, brings a frame that holds a text or the pieces of one
// with .* between them:
//
//	heard OUT NAME TEXT
func heard(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: heard out name text")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	var start uint64
	found := false
	opts := agentswitch.StreamOptions{
		ConnectionID: "script-" + args[1], Scope: agentswitch.ScopeAll, After: &start,
		OnRaw: func(frame []byte) { found = found || holds(string(frame), strings.Split(args[2], ".*")) },
	}
	for _, err := range clientOf(ts, args[0], args[1]).OpenOnce(ctx, opts) {
		ts.Check(err)
		if found {
			return
		}
	}
	ts.Fatalf("%s did not hear %q", args[1], args[2])
}

func holds(text string, pieces []string) bool {
	for _, p := range pieces {
		_, rest, ok := strings.Cut(text, p)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}
