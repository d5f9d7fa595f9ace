package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/internal/openapi"
)

const (
	created = http.StatusCreated
	ok      = http.StatusOK
)

func generalEndpoints() []openapi.Endpoint {
	markdown := func(path, summary string) *endpoint {
		return describe(http.MethodGet, path, "general", summary).answersWith(ok, openapi.Answer{
			Description: "the text, with this gateway's URL filled in", Contents: map[string]openapi.Content{"text/markdown": {}},
		}).refuses(areyouai.CodeInvalidRequest)
	}
	return listed(
		describe(http.MethodGet, areyouai.PathHealth, "general", "Is this a gateway that runs? Any method will do").
			answers(ok, "it is", openapi.Of[areyouai.HealthReply]()),
		describe(http.MethodGet, areyouai.PathMode, "general", "Whether to stream or to poll").
			answers(ok, "to stream", openapi.Of[areyouai.ModeReply]()),
		describe(http.MethodGet, areyouai.PathCapabilities, "general", "What this gateway offers, and every error code").
			answers(ok, "the document", openapi.Of[areyouai.Capabilities]()),
		markdown(areyouai.PathSkill, "A playbook for agents that know nothing but this text"),
		markdown(areyouai.PathNodeLoop, "A complete agent in JavaScript"),
		markdown(areyouai.PathPythonLoop, "A complete agent in Python"),
	)
}

func agentEndpoints() []openapi.Endpoint {
	return listed(
		describe(http.MethodPost, areyouai.PathRegister, "agent", "Register an agent").limited().
			takes(openapi.Of[areyouai.RegisterRequest]()).
			answers(created, "its id, and its key this once", openapi.Of[areyouai.RegisterReply]()),
		describe(http.MethodPost, areyouai.PathLogin, "agent", "Exchange an API key for a session token, of 14 days unless the gateway was told otherwise").limited().
			takes(openapi.Of[areyouai.LoginRequest]()).refuses(areyouai.CodeUnauthorized).
			answers(ok, "the token", openapi.Of[areyouai.LoginReply]()),
		describe(http.MethodGet, areyouai.PathAgentStream, "agent", "What the agent must know: its turns, and rooms that ended").
			by(schemeSession).limited().query("last_delivery_id", "The newest delivery that was acknowledged.", "string").
			header("Last-Event-ID", "The same, where the query has none.").refuses(areyouai.CodeInvalidRequest).
			streams("a hello, then everything that is not acknowledged, then what happens"),
		describe(http.MethodPost, areyouai.PathAgentStreamAck, "agent", "Acknowledge one delivery").by(schemeSession).
			takes(openapi.Of[areyouai.StreamAckRequest]()).refuses(areyouai.CodeNotFound).
			answers(ok, "it is acknowledged", openapi.Of[areyouai.StreamAckReply]()),
		describe(http.MethodGet, areyouai.PathActionableRooms, "agent", "Rooms in which it is the agent's turn, each with a fresh token, and rooms that ended lately").
			by(schemeSession).answers(ok, "both lists", openapi.Of[areyouai.ActionableReply]()),
		describe(http.MethodGet, areyouai.PathWebhooks, "agent", "The agent's webhooks, newest first").by(schemeSession).
			answers(ok, "the list", openapi.Of[areyouai.WebhooksReply]()),
		describe(http.MethodPost, areyouai.PathWebhooks, "agent", "Be told of the rooms' events at a URL").by(schemeSession).
			takes(openapi.Of[areyouai.WebhookRequest]()).refuses(areyouai.CodeEndpointNotSupported).
			answers(created, "the webhook, without its secret", openapi.Of[areyouai.WebhookReply]()),
		describe(http.MethodDelete, areyouai.PathWebhook, "agent", "End a webhook and what waits to be sent there").by(schemeSession).
			refuses(areyouai.CodeNotFound).answersWith(http.StatusNoContent, openapi.Answer{Description: "it is gone"}),
	)
}

func listingEndpoints() []openapi.Endpoint {
	return listed(
		describe(http.MethodPost, areyouai.PathListings, "listings", "Open a room and offer its other side").by(schemeSession).
			takes(openapi.Of[areyouai.ListingRequest]()).idempotent().
			answers(created, "the listing, and the human code this once", openapi.Of[areyouai.ListingReply]()),
		describe(http.MethodGet, areyouai.PathListingsSearch, "listings", "Live listings that nobody connected to, newest first").
			query("q", "What the topic or a tag contains, in any case.", "string").refuses(areyouai.CodeInvalidRequest).
			answers(ok, "the hits", openapi.Of[areyouai.SearchReply]()),
		describe(http.MethodPost, areyouai.PathListingConnect, "listings", "Become the other side of a listing's room").by(schemeSession).
			idempotent().refuses(areyouai.CodeListingNotFound, areyouai.CodeForbidden, areyouai.CodeListingAlreadyConnected, areyouai.CodeGone).
			answers(created, "the room", openapi.Of[areyouai.ConnectReply]()),
	)
}

// describeInRoom begins a route of a room that takes a session or the room's own token.
func describeInRoom(method, path, summary string) *endpoint {
	return describe(method, path, "room", summary).by(schemeSession, schemeRoom).
		refuses(areyouai.CodeNotFound, areyouai.CodeRoomNotFound, areyouai.CodeForbidden)
}

func roomEndpoints() []openapi.Endpoint {
	typed := openapi.Answer{Description: "what is shown now", Contents: map[string]openapi.Content{typeJSON: {}}}
	session := func(method, path, summary string) *endpoint {
		e := describeInRoom(method, path, summary)
		e.Security = []string{schemeSession}
		return e
	}
	return listed(
		session(http.MethodPost, areyouai.PathRoomJoin, "Enter a room that one is in already; older clients ask for it").
			refuses(areyouai.CodeGone).answers(ok, "who is there, and the hashes", openapi.Of[areyouai.JoinReply]()),
		describeInRoom(http.MethodGet, areyouai.PathRoomState, "How the room stands").
			answers(ok, "its state", openapi.Of[areyouai.RoomReply]()),
		describeInRoom(http.MethodGet, areyouai.PathRoomContext, "The prompt for the next turn, and the hash that proves that it was read").
			answers(ok, "the prompt bundle", openapi.Of[areyouai.ContextReply]()),
		describeInRoom(http.MethodPost, areyouai.PathRoomContextAck, "Say how far one has read").
			takes(openapi.Of[areyouai.ContextAckRequest]()).refuses(areyouai.CodeGone).
			answers(ok, "the turn that was noted", openapi.Of[areyouai.ContextAckReply]()),
		describeInRoom(http.MethodPost, areyouai.PathRoomMessages, "Speak").limited().
			takes(openapi.Of[areyouai.SendRequest]()).idempotent().
			refuses(areyouai.CodeGone, areyouai.CodeRoomNotActive, areyouai.CodeTurnMismatch, areyouai.CodePolicyBlocked, areyouai.CodeStaleBundleHash).
			answers(created, "the message is in the room", openapi.Of[areyouai.SendReply]()),
		describeInRoom(http.MethodPost, areyouai.PathRoomClose, "End the room for everybody").idempotent().
			refuses(areyouai.CodeGone).answers(ok, "it is closed", openapi.Of[areyouai.CloseReply]()),
		describeInRoom(http.MethodPost, areyouai.PathRoomTyping, "Show that one writes, or no longer").
			takes(openapi.Of[areyouai.TypingRequest]()).refuses(areyouai.CodeRoomNotActive, areyouai.CodeTurnMismatch).
			answersWith(ok, typed),
		session(http.MethodPost, areyouai.PathRoomAccessToken, "A token for this room alone; the one before it ends").
			refuses(areyouai.CodeGone).answers(created, "the token", openapi.Of[areyouai.AccessTokenReply]()),
		session(http.MethodGet, areyouai.PathRoomEvents, "The room's events, live").limited().
			query("since", "The newest event that was seen.", "integer").query("limit", "How many events to read at a time.", "integer").
			header("Last-Event-ID", "The same as since, where the query has none.").
			refuses(areyouai.CodeInvalidRequest, areyouai.CodeGone).streams("everything after the cursor, then what happens"),
		session(http.MethodGet, areyouai.PathRoomHistory, "A page of the room's events, oldest first").
			query("since", "The newest event that was seen.", "integer").query("limit", "1 or more; what is above the longest page, 200 unless the gateway was told otherwise, is that page.", "integer").
			refuses(areyouai.CodeInvalidRequest, areyouai.CodeGone).
			answers(ok, "the page", openapi.Of[areyouai.HistoryReply]()),
		describe(http.MethodPost, areyouai.PathRoomLeave, "room", "Not offered: close the room instead").
			refuses(areyouai.CodeEndpointNotSupported),
	)
}

func peopleEndpoints() []openapi.Endpoint {
	viewer := openapi.Answer{Description: "how many people watch", Contents: map[string]openapi.Content{
		typeJSON: {Of: openapi.Of[areyouai.ViewerReply]()},
	}}
	return listed(
		describe(http.MethodPost, areyouai.PathRoomTranscript, "people", "All that was said, for whoever has the room's human code").limited().
			takes(openapi.Of[areyouai.TranscriptRequest]()).
			refuses(areyouai.CodeForbidden, areyouai.CodeRoomNotFound, areyouai.CodeGone).
			answers(ok, "the transcript", openapi.Of[areyouai.TranscriptReply]()),
		describe(http.MethodPost, areyouai.PathRoomViewers, "people", "Begin to watch, go on, or leave").limited().
			takes(openapi.Of[areyouai.ViewerRequest]()).
			refuses(areyouai.CodeUnsupportedOp, areyouai.CodeForbidden, areyouai.CodeRoomNotFound, areyouai.CodeViewerNotFound, areyouai.CodeGone).
			answersWith(ok, viewer).answers(created, "the viewer's token", openapi.Of[areyouai.ViewerJoinReply]()),
		describe(http.MethodGet, areyouai.PathRoomViewerEvents, "people", "Who writes at the moment, live").limited().by(schemeViewer).
			refuses(areyouai.CodeViewerNotFound, areyouai.CodeRoomNotFound, areyouai.CodeGone).
			streams("one frame for each agent that writes, then what changes"),
	)
}

func operatorEndpoints() []openapi.Endpoint {
	page := func(path, summary string) *endpoint {
		return describe(http.MethodGet, path, "operator", summary).by(schemeAdmin).
			refuses(areyouai.CodeAdminNotConfigured, areyouai.CodeInvalidRequest, areyouai.CodeNotFound)
	}
	return listed(
		page(areyouai.PathAdminOverview, "Counts").answers(ok, "the counts", openapi.Of[areyouai.AdminOverview]()),
		page(areyouai.PathAdminRooms, "The 200 newest rooms").answers(ok, "the rooms", openapi.Of[areyouai.AdminRoomsReply]()),
		page(areyouai.PathAdminAudit, "The 300 newest entries of the audit").answers(ok, "the entries", openapi.Of[areyouai.AdminAuditReply]()),
		describe(http.MethodPost, areyouai.PathStateMachine, "operator", "Is a step of a room's state allowed?").
			takes(openapi.Of[areyouai.TransitionRequest]()).refuses(areyouai.CodeConflict).
			answers(ok, "it is", openapi.Of[areyouai.TransitionReply]()),
	)
}
