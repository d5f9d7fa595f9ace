// Package edgeframes speaks the agent socket protocol of Telnyx's edge runtime: its
// frames, its merge patches, and a client for servers of that protocol.
//
// # Frames
//
// One WebSocket text message carries one frame, written as SuperJSON (see the package
// superjson below this one). Eleven kinds exist. A client sends [Call], [Ping] and
// [Attach]; a server sends [Hello], [State], [Messages], [Result], [Error], [Pong],
// [Attached] and [EventFrame]. A frame's version belongs to its kind: attach, attached
// and event are version 2, the others version 1, and an error is 2 only when its code
// is.
//
//	text, err := edgeframes.Encode(edgeframes.Result{ID: "c1"})
//	// {"json":{"v":1,"kind":"result","id":"c1","value":null},"meta":{"values":{"value":["undefined"]},"v":1}}
//
//	frame, err := edgeframes.ParseKnown(text, superjson.Limits{})
//	switch f := frame.(type) {
//	case edgeframes.Call:
//		...
//	}
//
// [ParseKnown] reads both versions, [Parse] version 1 only. What they refuse comes as
// a *[ParseError], which knows the error frame to answer with.
//
// # State
//
// A state frame brings a snapshot or a patch for [ApplyMergePatch]. null deletes,
// undefined does not: that is why frames must be decoded whole.
//
// # The client
//
// [Client] keeps one connection to an agent. It comes back by itself whenever the link
// drops, mirrors the state and the message log, resumes after what it has seen, and
// calls methods.
//
//	c, err := edgeframes.NewClient("wss://host/agents/conversation/alice", edgeframes.ClientOptions{
//		Token: token, Subscribe: edgeframes.Streams(), Resume: true,
//	})
//	events := c.Events(ctx, 0)
//	c.Start(ctx)
//	defer c.Close()
//	posted, err := edgeframes.CallAs[Posted](ctx, c, "post_message", "hi")
//	for event, err := range events { ... }
//
// With any of Token, Subscribe and Resume every connection opens with an attach frame;
// without them the client is silent until hello. A call that comes while no link is
// ready waits for hello. When a link drops or an attempt fails, all waiting calls are
// rejected with [ErrLinkDown], those that were never sent too.
//
// No close code and no error of the server ends a client: it comes back after a delay
// that doubles, at once after 1001 (but not twice in a row), and from the shortest delay again once a hello has
// come. A rejected token is therefore tried for ever; ClientOptions.OnDisconnect tells,
// and errors.Is(err, Error{Code: CodeUnauthorized}) recognises it.
//
// Listeners are iterators. [Client.State] and [Client.Messages] begin with the copy
// that the client holds, [Client.Events] with what comes after it was called.
//
// # Invariants
//
//   - Encoding a frame and parsing the text gives the frame back, and parsing one of
//     the protocol's examples and encoding it gives the text back, byte for byte.
//   - Values in frames are read-only, so that one frame may serve many readers.
//   - A client has one goroutine while it runs and one more per connection; both have
//     ended when Close returns.
//   - Everything a client holds is bounded: message size, calls waiting, messages
//     kept, events not yet taken by a listener.
//
// # Deliberately absent
//
// A server: what a server does with a frame is its application's affair. A client of the
// HTTP transport: its frames are those of [ParseKnown], one per server-sent event or
// answer, and any HTTP client can fetch them. The client resends nothing: a call that was waiting when the link dropped is rejected, and only
// its caller knows whether to try again.
package edgeframes
