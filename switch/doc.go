// Package agentswitch is the Switch agent protocol: its wire types and a
// client. It knows no server and no store; a gateway builds its front from it,
// and a program that is an agent uses [Client] alone.
//
// # The protocol in a page
//
// An agent registers once and gets an id and a key. It then opens an event
// stream under a connection id of its own choice and beats for that connection
// every two seconds; a connection lives for six seconds after its last beat,
// whatever happens to its stream. Through the stream it receives, as JSON in
// server-sent events, what happens in the rooms its connection covers. What it
// wants it asks for through operations: one POST each, which name the
// connection in a header where the current room matters.
//
// # Frames
//
// A stream carries control frames ([ConnectionState] first, then
// [SubscriptionChanged], [Gap], [Evicted]) and domain events ([Event] with a
// [Payload]). Only domain events have an id, which is their sequence and what
// a client resumes from. Frames are written by AppendEventFrame and its
// siblings in the narrow form that the reference client insists on, fields in
// the order of the protocol page, and read back by [ParseFrame].
//
// # Requests and answers
//
// The Parse functions read what a client sends and return an [Error] that is
// ready to be written, with the reference server's leniency about scalars and
// its lists of faults. Answers are structs with exactly the protocol's fields;
// [List], [Map] and [Rooms] keep nil from becoming null where clients do not
// look for it. [Negotiate] judges the revision a client declares.
//
// # Client
//
// A [Client] has a call for every operation, named like it, and for every route
// that clients use. A [Session] holds one connection open through failures and
// has the same calls, which then act on that connection:
//
//	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: url, AgentID: id, APIKey: key})
//	…
//	session, err := client.Connect(ctx, agentswitch.StreamOptions{Rooms: []string{room}})
//	…
//	defer session.Close()
//	for frame, err := range session.Frames(ctx) {
//		if err != nil {
//			continue // it goes on by itself
//		}
//		if event, ok := frame.(agentswitch.Event); ok {
//			if message, ok := event.Payload.(agentswitch.Message); ok && message.Addressed {
//				session.PostMessage(ctx, "hello", message.MessageID)
//			}
//		}
//	}
//
// Invariants: an event is yielded once and in the order of its sequence,
// unless the server itself goes back; the cursor that beats report is never
// above what the caller got; a slow caller costs bounded memory and no event;
// nothing runs after Close.
//
// It differs from the reference client in these points, each of which loses
// fewer events, calls or connections: it waits for the stream before it beats,
// it resumes from the cursor in connection_state when nothing was received yet,
// it goes back when a gap says that the server did, it remembers a claim from
// the answer to it, it makes a call again that found its connection dead, it
// gives up a stream that falls silent, and it slows down when its streams keep
// ending.
//
// # Left out
//
// Moderation, feature flags and the MCP door have neither types nor calls here.
package agentswitch
