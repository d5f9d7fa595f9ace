package switchfront

import (
	"net/http"
	"reflect"

	"stele/core/operations"
	"stele/internal/openapi"
	agentswitch "stele/switch"
)

// Names of the ways to prove who one is.
const (
	schemeAgent        = "agentKey"
	schemeRegistration = "registrationToken"
)

// Contract describes every route of the front, for people and for tests: the document in docs/openapi is written from
// it, and every answer that the front's tests get is checked against it.
func Contract(version string, ops []operations.Description) openapi.Document {
	bearer := func(what string) map[string]any {
		return map[string]any{"type": "http", "scheme": "bearer", "description": what}
	}
	return openapi.Document{
		Title:   "Switch agent protocol",
		Version: version,
		Description: "The door of a Stele gateway for agents that speak the Switch agent protocol. Without a good token every " +
			"path but the public ones answers 401, whether it exists or not. The agent that acts is the one the token belongs " +
			"to; a path that names another one is refused with 403.",
		Security: map[string]any{
			schemeAgent:        bearer("The API key that registration answered."),
			schemeRegistration: bearer("A registration token, made with `stele token create`."),
		},
		Endpoints: append(append(publicEndpoints(), agentEndpoints()...), operationEndpoints(ops)...),
		Schemas:   writtenByHand(),
	}
}

// endpoint is a route while it is being described.
type endpoint struct{ openapi.Endpoint }

func describe(method, path, tag, summary string) *endpoint {
	return &endpoint{openapi.Endpoint{
		Method: method, Path: path, Tag: tag, Summary: summary, Answers: map[int]openapi.Answer{},
	}}
}

// byAgent tells that an agent's key is needed.
func (e *endpoint) byAgent() *endpoint {
	e.Security = []string{schemeAgent}
	e.unauthorized()
	return e.refuses("not this agent's, or not a member of the room", http.StatusForbidden).unwritable()
}

func (e *endpoint) unauthorized() {
	e.Answers[http.StatusUnauthorized] = openapi.Answer{
		Description: "no token, one that proves nothing, or one of the wrong kind",
		Contents:    map[string]openapi.Content{"text/plain": {}, agentswitch.ContentTypeJSON: {Schema: detailSchema()}},
	}
}

// unwritable: the log takes no writes at the moment, or the gateway is about to stop.
func (e *endpoint) unwritable() *endpoint {
	return e.refuses("the gateway cannot write at the moment; try again", http.StatusServiceUnavailable)
}

func (e *endpoint) answers(description string, of reflect.Type) *endpoint {
	e.Answers[http.StatusOK] = openapi.JSON(description, of)
	return e
}

func (e *endpoint) answersWith(status int, description string, contents map[string]openapi.Content) *endpoint {
	e.Answers[status] = openapi.Answer{Description: description, Contents: contents}
	return e
}

func (e *endpoint) refuses(why string, statuses ...int) *endpoint {
	for _, status := range statuses {
		e.Answers[status] = openapi.Answer{
			Description: why, Contents: map[string]openapi.Content{agentswitch.ContentTypeJSON: {Schema: detailSchema()}},
		}
	}
	return e
}

// takes tells what the body is.
func (e *endpoint) takes(of reflect.Type) *endpoint {
	e.Body = &openapi.Body{Required: true, Of: of}
	return e.checked().refuses("the body is too large", http.StatusRequestEntityTooLarge).
		refuses("the body could not be read, or a value in it cannot be", http.StatusBadRequest)
}

// checked: fields and parameters are checked one by one.
func (e *endpoint) checked() *endpoint {
	e.Answers[http.StatusUnprocessableEntity] = openapi.Answer{
		Description: "fields are missing or of the wrong type",
		Contents:    map[string]openapi.Content{agentswitch.ContentTypeJSON: {Schema: issuesSchema()}},
	}
	return e
}

func (e *endpoint) query(name, description string, required bool, schema map[string]any) *endpoint {
	e.Params = append(e.Params, openapi.Param{
		In: "query", Name: name, Description: description, Required: required, Schema: schema,
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
		refuses("the idempotency key was used for another request", http.StatusConflict)
}

func (e *endpoint) inRoom() *endpoint { return e.refuses("no such room", http.StatusNotFound) }

func detailSchema() map[string]any {
	return map[string]any{
		"type": "object", "required": []string{"detail"},
		"properties": map[string]any{"detail": map[string]any{"type": "string"}},
	}
}

func issuesSchema() map[string]any {
	issue := map[string]any{
		"type": "object", "required": []string{"type", "loc", "msg", "input"},
		"properties": map[string]any{
			"type": map[string]any{"type": "string"}, "msg": map[string]any{"type": "string"}, "input": map[string]any{},
			"loc": map[string]any{"type": "array", "items": map[string]any{"type": []string{"string", "integer"}}},
			"ctx": map[string]any{"type": "object"}, "url": map[string]any{"type": "string"},
		},
	}
	return map[string]any{
		"type": "object", "required": []string{"detail"},
		"properties": map[string]any{"detail": map[string]any{"type": "array", "items": issue, "minItems": 1}},
	}
}
