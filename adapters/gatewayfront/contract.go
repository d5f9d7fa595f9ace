package gatewayfront

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"stele/adapters/scripts"
	"stele/core/operations"
	"stele/internal/openapi"
)

// Names of the ways to prove that one may look.
const (
	schemeAgent  = "agent"
	schemePeople = "people"
)

// Contract describes every route of the front, for people and for tests: the document in docs/openapi is written from it, and
// every answer that the front's tests get is checked against it.
func Contract(version string) openapi.Document {
	bearer := func(what string) map[string]any {
		return map[string]any{"type": "http", "scheme": "bearer", "description": what}
	}
	return openapi.Document{
		Title:   "Stele gateway",
		Version: version,
		Description: "What belongs to no protocol: the place of a client in a room, converted from one protocol's cursor to the others', " +
			"and the events of a room in the log's own words and in the scripts of the three protocols. Everything here only reads. " +
			"Every refusal is one JSON object.",
		Security: map[string]any{
			schemeAgent:  bearer("A member's API key, session token, or token for this room."),
			schemePeople: bearer("The room's code for people, or the token of one of its viewers."),
		},
		Endpoints: []openapi.Endpoint{cursorEndpoint(), eventsEndpoint(), eventEndpoint()},
		Schemas: map[reflect.Type]map[string]any{
			openapi.Of[time.Time](): {"type": "string", "format": "date-time"},
			openapi.Of[map[scripts.Script][]string](): {
				"type": "object", "propertyNames": map[string]any{"enum": scripts.All()},
				"additionalProperties": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			},
		},
	}
}

func describe(path, summary, description string, codes ...Code) openapi.Endpoint {
	e := openapi.Endpoint{
		Method: http.MethodGet, Path: path, Tag: "rooms", Summary: summary, Description: description,
		Security: []string{schemeAgent, schemePeople}, Answers: map[int]openapi.Answer{},
	}
	codes = append(codes, CodeInvalid, CodeUnauthorized, CodeForbidden, CodeNoRoom, CodeGone, CodeTooMany, CodeUnavailable, CodeInternal)
	byStatus := map[int][]Code{}
	for _, c := range codes {
		byStatus[statusOf(c)] = append(byStatus[statusOf(c)], c)
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		known, text := byStatus[status], "refused:"
		for _, c := range known {
			text += " " + string(c)
		}
		e.Answers[status] = openapi.Answer{Description: text, Contents: map[string]openapi.Content{"application/json": {Schema: map[string]any{
			"type": "object", "required": []string{"error"}, "additionalProperties": false,
			"properties": map[string]any{"error": map[string]any{
				"type": "object", "required": []string{"code", "message"}, "additionalProperties": false,
				"properties": map[string]any{
					"code": map[string]any{"type": "string", "enum": known}, "message": map[string]any{"type": "string"},
				},
			}},
		}}}}
	}
	return e
}

func query(name, description string, schema map[string]any) openapi.Param {
	return openapi.Param{In: "query", Name: name, Description: description, Schema: schema}
}

func number() map[string]any { return map[string]any{"type": "integer", "minimum": 0} }

func flag() map[string]any {
	return map[string]any{"type": "string", "enum": []string{"0", "1", "false", "true"}}
}

func cursorEndpoint() openapi.Endpoint {
	e := describe("/gateway/rooms/{id}/cursor", "The same place in every protocol",
		"Give exactly one of the four: the cursor that you have. It means that you have seen everything up to and including what it "+
			"names; 0 is before everything. A switch sequence may belong to another room or lie between two events of this one. A "+
			"message number is the place right at that message, so that what came between it and the next one comes again rather than not at all.",
		CodeCursorAhead, CodeCursorUnknown)
	e.Params = []openapi.Param{
		query("switch", "The sequence of a Switch event.", number()),
		query("areyouai", "The event_id of an areyouai event, as since takes it.", number()),
		query("edge_events", "The seq of an edge event.", number()),
		query("edge_messages", "The seq of an edge message.", number()),
	}
	e.Answers[http.StatusOK] = openapi.JSON("the place", openapi.Of[operations.TranslatedCursor]())
	return e
}

// showing are the parameters that say how events are shown.
func showing(format string) []openapi.Param {
	text := map[string]any{"type": "string"}
	return []openapi.Param{
		query("format", "core, switch, areyouai, edge, several of them with commas between, or all. Default: "+format+".", text),
		query("self", "The agent from whose place it is seen, by id or name: the Switch script does not show it its own messages and marks "+
			"what addresses it. An agent can name itself only, and is itself by default; empty: nobody in particular.", text),
		query("agent", "The agent that the edge address names, by id or name: its messages have the role of the assistant.", text),
		query("comments", "1: what a script cannot say stands before the event as a comment line of the script.", flag()),
	}
}

func eventsEndpoint() openapi.Endpoint {
	e := describe("/gateway/rooms/{id}/events", "The events of a room in any script",
		"A page of events, oldest first. With Accept: text/plain it is the script itself, with Accept: text/event-stream too for the two "+
			"scripts that are server-sent events; then X-Next-After is the version to go on after. With follow=1 it is a stream of "+
			"server-sent events that goes on with each event as it happens: the id is the event's version, which Last-Event-ID takes, "+
			"and the data an item as on a page. What a command or a task says is shown to its parties only: others see that there was one.",
		CodeCursorAhead, CodeCursorUnknown)
	e.Params = append(showing("core"),
		query("after", "The version after which to begin. Default 0: the beginning.", number()),
		query("limit", "How many events at most. Default 100.", map[string]any{"type": "integer", "minimum": 1, "maximum": MaxLimit}),
		query("follow", "1: go on live.", flag()),
		openapi.Param{In: "header", Name: headerLastEvent, Description: "The id of the last event of an earlier stream; it counts more than after."},
	)
	ok := openapi.JSON("a page, or a stream", openapi.Of[Page]())
	ok.Contents[typeText], ok.Contents[typeEventStream] = openapi.Content{}, openapi.Content{}
	e.Answers[http.StatusOK] = ok
	return e
}

func eventEndpoint() openapi.Endpoint {
	e := describe("/gateway/rooms/{id}/events/{version}", "One event in all scripts", "", CodeNoEvent)
	e.Params = showing("all")
	e.Answers[http.StatusOK] = openapi.JSON("the event", openapi.Of[Item]())
	return e
}
