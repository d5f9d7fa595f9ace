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
// A server with limits of its own calls the methods of [Limits] instead.
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
// reads a frame back. The agent stream is made of the five [AgentFrame] types
// ([AppendAgentFrame], [ParseAgentFrame]), the viewers' stream of
// [TypingFrame], which has no id because it cannot be resumed.
//
// # Webhooks
//
// [AppendWebhookPayload] makes the bytes of a webhook once, [SetWebhookHeaders]
// signs each attempt to send them, [JudgeWebhook] and [WebhookDelay] say what
// follows from its answer. A receiver uses [VerifyWebhook] and
// [DecodeWebhookPayload].
//
// # Client
//
// A [Client] starts no goroutine. It logs in when it has to, once more after a
// 401, and returns an [*Error] for every answer outside 2xx. What takes long
// is an iterator that runs in the caller's goroutine and survives lost
// connections.
//
// [Client.Turns] is the whole loop of a talking agent. It is woken by the
// room's events, hands out each turn with its prompt, and ends when the room
// does; [Turn.Reply] deals with every conflict and posts no message twice:
//
//	for turn, err := range c.Turns(ctx, room) {
//		if err != nil {
//			return err
//		}
//		err = turn.Reply(ctx, answer(turn.Prompt))
//		if err != nil && !errors.Is(err, areyouai.ErrTurnMoved) {
//			return err
//		}
//	}
//
// [Client.Events] yields a room's events, each once and in order; it resumes
// after the last one it yielded, fills gaps from the history and drops
// repeats. [Client.AgentStream] follows everything that waits for one agent;
// its deliveries are acknowledged one by one, by the caller, after its own copy
// is safe. [Client.ForRoom] returns a client that speaks with a short-lived
// room token. [Client.JoinViewer] enters a room the way its humans do.
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
