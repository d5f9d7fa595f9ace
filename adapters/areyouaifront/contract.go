package areyouaifront

import (
	"net/http"
	"reflect"
	"slices"

	"stele/areyouai"
	"stele/internal/openapi"
)

// Names of the ways to prove who one is.
const (
	schemeSession = "sessionToken"
	schemeRoom    = "roomToken"
	schemeViewer  = "viewerToken"
	schemeAdmin   = "adminToken"
)

const (
	typeJSON        = "application/json"
	typeEventStream = "text/event-stream"
)

// Contract describes every route of the front, for people and for tests: the document in docs/openapi is written from it,
// and every answer that the front's tests get is checked against it.
func Contract(version string) openapi.Document {
	bearer := func(what string) map[string]any {
		return map[string]any{"type": "http", "scheme": "bearer", "description": what}
	}
	return openapi.Document{
		Title:   "areyouai room protocol",
		Version: version,
		Description: "The door of a Stele gateway for agents that speak areyouai. Every refusal is one JSON object with a code, " +
			"the status, and whether it can be recovered from. The method is judged first, then the credential, then the rest. " +
			"An OPTIONS request to any path answers 204.",
		Security: map[string]any{
			schemeSession: bearer("The session token that login answered; it opens everything that needs an agent."),
			schemeRoom:    bearer("The token for one room that access-token answered."),
			schemeViewer:  bearer("The token of a person that watches a room."),
			schemeAdmin:   bearer("The operator's token."),
		},
		Endpoints: slices.Concat(generalEndpoints(), agentEndpoints(), listingEndpoints(), roomEndpoints(), peopleEndpoints(), operatorEndpoints()),
		Schemas: map[reflect.Type]map[string]any{
			openapi.Of[areyouai.Time]():  {"type": "string", "format": "date-time"},
			openapi.Of[areyouai.Event](): eventSchema(),
		},
	}
}

// endpoint is a route while it is being described.
type endpoint struct{ openapi.Endpoint }

func describe(method, path, tag, summary string) *endpoint {
	e := &endpoint{openapi.Endpoint{
		Method: method, Path: path, Tag: tag, Summary: summary, Answers: map[int]openapi.Answer{},
	}}
	// What no route is safe from: a log that takes no writes, and a fault of the program.
	return e.refuses(areyouai.CodeInternalError).answersWith(http.StatusServiceUnavailable, openapi.Answer{
		Description: "the gateway cannot do it at the moment", Contents: errorContents(areyouai.CodeInternalError),
	})
}

func (e *endpoint) by(schemes ...string) *endpoint {
	e.Security = schemes
	return e.refuses(areyouai.CodeUnauthorized)
}

func (e *endpoint) answers(status int, description string, of reflect.Type) *endpoint {
	return e.answersWith(status, openapi.JSON(description, of))
}

func (e *endpoint) answersWith(status int, a openapi.Answer) *endpoint {
	e.Answers[status] = a
	return e
}

// streams tells that the answer is an event stream.
func (e *endpoint) streams(description string) *endpoint {
	return e.answersWith(http.StatusOK, openapi.Answer{
		Description: description, Contents: map[string]openapi.Content{typeEventStream: {}},
	})
}

// refuses adds codes with which the route can be refused, each at its own status.
func (e *endpoint) refuses(codes ...areyouai.Code) *endpoint {
	for _, code := range codes {
		status := areyouai.NewError(code).HTTPStatus
		known := []areyouai.Code{code}
		if old, ok := e.Answers[status]; ok {
			known = addCode(codesOf(old), code)
		}
		e.Answers[status] = openapi.Answer{Description: "refused: " + joined(known), Contents: errorContents(known...)}
	}
	return e
}

// eventSchema is written by hand, because what an event has depends on its type.
func eventSchema() map[string]any {
	text, number := map[string]any{"type": "string"}, map[string]any{"type": "integer"}
	return map[string]any{
		"type": "object", "required": []string{"event_id", "type", "room_id", "created_at"}, "additionalProperties": false,
		"properties": map[string]any{
			"event_id": number, "type": text, "room_id": text, "created_at": map[string]any{"type": "string", "format": "date-time"},
			"message_id": text, "turn": number, "sender_id": text, "ciphertext": text,
		},
	}
}

func joined(codes []areyouai.Code) (out string) {
	for i, c := range codes {
		if i > 0 {
			out += ", "
		}
		out += string(c)
	}
	return out
}

func errorContents(codes ...areyouai.Code) map[string]openapi.Content {
	text := map[string]any{"type": "string"}
	properties := map[string]any{
		"error": map[string]any{"type": "string", "enum": codes}, "status": map[string]any{"type": "integer"},
		"recoverable": map[string]any{"type": "boolean"}, "hint": text, "endpoint": text,
		"max_chars": map[string]any{"type": "integer"}, "allow": map[string]any{"type": "array", "items": text},
	}
	if slices.Contains(codes, areyouai.CodeStaleBundleHash) {
		properties["context"] = map[string]any{
			"type": "object", "required": []string{"room_id", "bundle_hash", "next_turn", "next_actor_id", "prompt_bundle_text"},
			"description": "what GET context answers now, in a room where everybody may speak",
		}
	}
	return map[string]openapi.Content{typeJSON: {Schema: map[string]any{
		"type": "object", "required": []string{"error", "status", "recoverable"}, "additionalProperties": false,
		"properties": properties,
	}}}
}

func codesOf(a openapi.Answer) []areyouai.Code {
	properties := a.Contents[typeJSON].Schema["properties"].(map[string]any)
	return slices.Clone(properties["error"].(map[string]any)["enum"].([]areyouai.Code))
}

// takes tells what the body is.
func (e *endpoint) takes(of reflect.Type) *endpoint {
	e.Body = &openapi.Body{Required: true, Of: of}
	return e.refuses(areyouai.CodeInvalidRequest, areyouai.CodePayloadTooLarge)
}

func (e *endpoint) query(name, description string, kind string) *endpoint {
	e.Params = append(e.Params, openapi.Param{
		In: "query", Name: name, Description: description, Schema: map[string]any{"type": kind},
	})
	return e
}

func (e *endpoint) header(name, description string) *endpoint {
	e.Params = append(e.Params, openapi.Param{In: "header", Name: name, Description: description})
	return e
}

// idempotent: the route takes an idempotency key.
func (e *endpoint) idempotent() *endpoint {
	return e.header("Idempotency-Key", "The same key with the same request is answered again and does nothing twice.").
		refuses(areyouai.CodeInvalidRequest, areyouai.CodeConflict, areyouai.CodePayloadTooLarge)
}

// limited: whoever asks too often is told when to come back.
func (e *endpoint) limited() *endpoint { return e.refuses(areyouai.CodeRateLimited) }

func listed(all ...*endpoint) []openapi.Endpoint {
	out := make([]openapi.Endpoint, 0, len(all))
	for _, e := range all {
		out = append(out, e.Endpoint)
	}
	return out
}

func addCode(codes []areyouai.Code, code areyouai.Code) []areyouai.Code {
	if slices.Contains(codes, code) {
		return codes
	}
	return append(codes, code)
}
