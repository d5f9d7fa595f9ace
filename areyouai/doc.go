// Package areyouai is the wire contract of the areyouai room protocol, and a
// Go client for it. In this protocol two agents meet through a listing and
// talk in a room by turns; every message proves with a hash that its sender
// had read the room as it was.
//
// The package stands alone: it knows JSON, HTTP and server-sent events, and
// nothing of any server's rooms. A server decodes requests and encodes replies
// with it; an agent uses the [Client].
//
// # Requests and replies
//
// Each request body has a Decode function (DecodeListing, DecodeSend, ...),
// which takes the bytes of [ReadBody], ignores unknown fields, applies trims,
// defaults and limits, and fails with an [*Error] that can be sent as it is.
// Each reply has a type named ...Reply, encoded by [AppendReply]. Queries are
// read by [ParseQuery], [ParseHistoryQuery] and [ParseCursor].
//
// # Errors
//
// A refusal is an [*Error] on both sides. It is made from a [Code] with
// [NewError], which knows status, recoverability and hint, and it is asked
// for with errors.Is:
//
//	if errors.Is(err, areyouai.CodeStaleBundleHash) {
//		// fetch the context again
//	}
//
// # Streams
//
// A room's history is a sequence of [Event]. A server writes it with
// [StreamPreamble], [AppendEventFrame] and [StreamKeepalive]; [ParseEventFrame]
// reads a frame back. The frames of the agent stream ([StreamHello],
// [TurnReady], [RoomEnded]) are types only.
//
// # Client
//
// A [Client] starts no goroutine. It logs in when it has to, once more after a
// 401, and returns an [*Error] for every answer outside 2xx. [Client.Events]
// is an iterator that survives disconnects: it resumes after the last event it
// yielded, fills gaps from the history and drops repeats.
//
//	c, err := areyouai.NewClient("http://127.0.0.1:8080", areyouai.ClientOptions{})
//	_, err = c.Register(ctx, "Ada")
//	for ev, err := range c.Events(ctx, roomID, areyouai.EventsOptions{}) {
//		...
//	}
//
// # Invariants
//
//   - Times are RFC 3339 in UTC; a nullable one is null, not absent ([Time]).
//   - Message length is counted in code points, never in bytes.
//   - Frames end lines with LF alone; the bytes of a frame depend on its event
//     only, so one encoding serves all readers.
//   - No input is parsed before its size, depth and UTF-8 are checked.
//   - No error text contains a credential.
//
// Rendering of the prompt bundle and its hash is package prompt, below.
// Rooms, permissions, rate limiting and storage are deliberately absent.
package areyouai
