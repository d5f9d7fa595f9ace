package edgeframes_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func ExampleEncode() {
	text, err := edgeframes.Encode(edgeframes.Result{ID: "c1", Value: superjson.Undefined{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output: {"json":{"v":1,"kind":"result","id":"c1","value":null},"meta":{"values":{"value":["undefined"]},"v":1}}
}

func ExampleParseKnown() {
	text := `{"json":{"v":2,"kind":"attach","token":"secret","cursors":{"events":41}}}`
	frame, err := edgeframes.ParseKnown([]byte(text), superjson.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	switch f := frame.(type) {
	case edgeframes.Attach:
		fmt.Println("resume events after", f.Cursors[edgeframes.StreamEvents])
	case edgeframes.Call:
		fmt.Println("call", f.Method)
	}
	// Output: resume events after 41
}

func ExampleApplyMergePatch() {
	state, _ := superjson.FromGo(map[string]any{"status": "open", "assignee": "bob"})
	patch, _ := superjson.FromGo(map[string]any{"status": "busy", "assignee": nil, "note": superjson.Undefined{}})
	text, _ := superjson.Append(nil, edgeframes.ApplyMergePatch(state, patch))
	fmt.Println(string(text))
	// Output: {"json":{"status":"busy","note":null},"meta":{"values":{"note":["undefined"]},"v":1}}
}

// A typed call, with the server's own refusals told from a link that is down.
func ExampleCallAs() {
	ctx := context.Background()
	c, err := edgeframes.Dial(ctx, "wss://host/agents/conversation/alice", edgeframes.ClientOptions{Token: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	type posted struct {
		EventID string `json:"event_id"`
	}
	p, err := edgeframes.CallAs[posted](ctx, c, "post_message", "hello")
	switch {
	case errors.Is(err, edgeframes.Error{Code: edgeframes.CodeUnauthorized}):
		log.Fatal("this token may only read")
	case errors.Is(err, edgeframes.ErrLinkDown):
		log.Print("it may have been posted or not")
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(p.EventID)
}

// An agent that reports progress, followed by a client that came for its events only.
func ExampleClient_Events() {
	ctx := context.Background()
	c, err := edgeframes.NewClient("wss://host/agents/conversation/alice", edgeframes.ClientOptions{
		Subscribe: []edgeframes.Stream{edgeframes.StreamEvents}, Resume: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	events := c.Events(ctx, 0) // before Start, to have what is replayed
	c.Start(ctx)
	for event, err := range events {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Seq, event.Type, event.At)
	}
}

// An agent's client that says one thing and prints what it hears.
func ExampleClient() {
	ctx := context.Background()
	c, err := edgeframes.NewClient("wss://host/agents/conversation/alice", edgeframes.ClientOptions{
		Token: "secret", Subscribe: edgeframes.Streams(), Resume: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	c.Start(ctx)
	if _, err := c.Call(ctx, "post_message", "hello"); err != nil {
		log.Fatal(err)
	}
	for update, err := range c.Messages(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range update.Messages {
			fmt.Println(m.Name, m.Content)
		}
	}
}
