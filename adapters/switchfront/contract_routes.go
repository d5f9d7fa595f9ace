package switchfront

import (
	"net/http"
	"reflect"

	"stele/core"
	"stele/internal/openapi"
	agentswitch "stele/switch"
)

func schema(kind string) map[string]any { return map[string]any{"type": kind} }

func oneOf(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }

// publicEndpoints are the routes for people and probes, and those for who registers agents.
func publicEndpoints() []openapi.Endpoint {
	health := describe(http.MethodGet, "/health", "gateway", "Is this a gateway that runs?").
		answers("it is", openapi.Of[agentswitch.Health]())
	deeplink := describe(http.MethodGet, "/deeplink/session", "gateway", "Sends a browser on to the desktop application").
		answersWith(http.StatusFound, "the query, at switchdash://session", nil)
	out := []openapi.Endpoint{
		health.Endpoint, deeplink.Endpoint,
		linkedFile(http.MethodGet, "The bytes of a file, by the link that clients of the other protocols are shown; a session or room token opens it too"),
		linkedFile(http.MethodHead, "What the file is, without its bytes"),
	}
	for _, e := range []*endpoint{
		describe(http.MethodPost, "/agents/register-known", "registration", "Register an agent of a known type").
			takes(openapi.Of[agentswitch.RegisterRequest]()).answers("its id, and its key this once", openapi.Of[agentswitch.RegisterAnswer]()),
		describe(http.MethodPost, "/agents", "registration", "Register an agent with a full profile").
			takes(openapi.Of[agentswitch.FullRegistration]()).answers("its id, and its key this once", openapi.Of[agentswitch.RegisterAnswer]()),
		describe(http.MethodPost, "/agents/register-known-bulk", "registration", "Register several agents below one parent").
			takes(openapi.Of[agentswitch.BulkRegistration]()).refuses("no such parent", http.StatusNotFound).
			answers("each one's id, and its key this once", openapi.Of[agentswitch.BulkAnswer]()),
	} {
		e.Security = []string{schemeRegistration}
		e.unauthorized()
		e.refuses("the name is taken; overwriting must be asked for", http.StatusConflict).
			refuses("the agent belongs to another owner", http.StatusForbidden).unwritable()
		e.answersWith(http.StatusBadRequest, "a value cannot be: one text, or a list for options", map[string]openapi.Content{
			agentswitch.ContentTypeJSON: {Schema: map[string]any{"anyOf": []any{detailSchema(), issuesSchema()}}},
		})
		out = append(out, e.Endpoint)
	}
	return out
}

// linkedFile is the route of an attachment's link.
func linkedFile(method, summary string) openapi.Endpoint {
	anything := map[string]openapi.Content{"*/*": {Schema: schema("string")}}
	file := describe(method, core.MediaPath+"{"+paramMedia+"}", "messages", summary).
		answersWith(http.StatusOK, "the file", anything).answersWith(http.StatusPartialContent, "a part of it", anything).
		answersWith(http.StatusRequestedRangeNotSatisfiable, "the file is shorter", anything).
		refuses("no such file, or none for whoever asks", http.StatusNotFound)
	file.Security = []string{schemeAgent}
	file.unauthorized()
	return file.Endpoint
}

const agentPath = "/agents/{agent_id}"

// agentEndpoints are the routes of an agent but for its operations.
func agentEndpoints() []openapi.Endpoint {
	var out []openapi.Endpoint
	for _, family := range [][]*endpoint{
		identityEndpoints(), streamEndpoints(), connectionEndpoints(), roomEndpoints(), feedbackEndpoints(),
		mediationEndpoints(), taskEndpoints(),
	} {
		for _, e := range family {
			out = append(out, e.byAgent().Endpoint)
		}
	}
	return out
}

func identityEndpoints() []*endpoint {
	return []*endpoint{
		describe(http.MethodGet, "/version", "gateway", "The release and the ranges of its contracts").
			answers("both", openapi.Of[agentswitch.ServerInfo]()),
		describe(http.MethodPatch, agentPath, "registration", "Change what is known of the agent").
			takes(openapi.Of[agentswitch.AgentPatch]()).answers("changed", openapi.Of[agentswitch.OK]()),
		describe(http.MethodDelete, agentPath, "registration", "Delete the agent; its key is dead at once").
			answers("deleted", openapi.Of[agentswitch.OK]()).refuses("it is gone already", http.StatusNotFound),
	}
}

func streamEndpoints() []*endpoint {
	open := describe(http.MethodGet, agentPath+"/events", "events", "Open the stream of events, or poll for them")
	open.Description = "With Accept: text/event-stream the answer is a stream that stays open; its first frame is " +
		"connection_state. With anything else it is a poll that waits for at most timeout seconds."
	for _, q := range []struct {
		name, says string
		schema     map[string]any
	}{
		{"connection_id", "needed for a stream: chosen by the client, kept across reconnects", schema("string")},
		{"scope", "single follows one claimed room, all every room no sibling claimed", oneOf("single", "all")},
		{"filter", "addressed leaves out what does not notify", oneOf("all", "addressed")},
		{"start_from", "head, or the sequence to read after; Last-Event-ID beats it", schema("string")},
		{"spawn_capable", "the client can start sessions", schema("boolean")},
		{"rooms", "ids of rooms to claim, with takeover, separated by commas", schema("string")},
		{"protocol", "the revision the client speaks", schema("integer")},
		{"protocol_accepts", "the oldest revision it accepts", schema("integer")},
		{"client", "name of the client, recorded only", schema("string")},
		{"client_version", "its release, recorded only", schema("string")},
		{"timeout", "seconds a poll waits", schema("number")},
	} {
		open.query(q.name, q.says, false, q.schema)
	}
	open.header("Last-Event-ID", "sequence of the last event that was read").checked()
	open.answersWith(http.StatusOK, "a stream, or the events a poll found", map[string]openapi.Content{
		"text/event-stream":         {Schema: schema("string")},
		agentswitch.ContentTypeJSON: {Of: openapi.Of[agentswitch.PollAnswer]()},
	})
	open.answersWith(http.StatusConflict, "not this agent's connection, too many of them, or no common protocol revision",
		map[string]openapi.Content{agentswitch.ContentTypeJSON: {Schema: map[string]any{"anyOf": []any{detailSchema(), rangeSchema()}}}})
	open.refuses("a parameter is missing or cannot be", http.StatusBadRequest)
	return []*endpoint{
		open.nothingNew(),
		describe(http.MethodGet, agentPath+"/notifications", "events", "Poll for what notifies the agent").
			query("timeout", "seconds to wait", false, schema("number")).checked().
			answers("what is new", openapi.Of[agentswitch.PollAnswer]()).nothingNew().
			refuses("as many polls of this agent wait as may", http.StatusConflict),
		describe(http.MethodGet, agentPath+"/rooms/{room_id}/events", "events", "Poll for the events of one room").inRoom().
			query("timeout", "seconds to wait", false, schema("number")).checked().
			answers("what is new", openapi.Of[agentswitch.PollAnswer]()).nothingNew().
			refuses("as many polls of this agent wait as may", http.StatusConflict),
	}
}

func (e *endpoint) nothingNew() *endpoint {
	if _, described := e.Answers[http.StatusConflict]; !described {
		e.refuses("too many polls wait already", http.StatusConflict)
	}
	return e.answersWith(http.StatusNoContent, "nothing happened in time", nil)
}

func rangeSchema() map[string]any {
	return map[string]any{
		"type": "object", "required": []string{"detail"},
		"properties": map[string]any{"detail": map[string]any{
			"type": "object", "required": []string{"message", "contract", "server", "client", "remedy"},
		}},
	}
}

func connectionEndpoints() []*endpoint {
	dead := func(e *endpoint) *endpoint { return e.refuses("the connection is not open", http.StatusNotFound) }
	return []*endpoint{
		dead(describe(http.MethodPost, agentPath+"/connection/beat", "connections", "Keep the connection alive").
			takes(openapi.Of[agentswitch.BeatRequest]()).answers("its claims and cursor", openapi.Of[agentswitch.BeatAnswer]()).
			refuses("no stream is attached", http.StatusConflict)),
		dead(describe(http.MethodPost, agentPath+"/connection/subscribe", "connections", "Claim a room").
			takes(openapi.Of[agentswitch.SubscribeRequest]()).answers("claimed", openapi.Of[agentswitch.SubscribeAnswer]()).
			refuses("a live sibling holds the room", http.StatusConflict)),
		dead(describe(http.MethodPost, agentPath+"/connection/unsubscribe", "connections", "Give a room up").
			takes(openapi.Of[agentswitch.SubscribeRequest]()).answers("released", openapi.Of[agentswitch.UnsubscribeAnswer]())),
		describe(http.MethodPost, agentPath+"/leases/renew", "connections", "Does the agent hold a role?").
			answers("held or not", openapi.Of[agentswitch.LeaseAnswer]()),
		describe(http.MethodPost, agentPath+"/connection/renew", "connections", "Be present in a room, for clients that poll").
			inRoom().takes(openapi.Of[agentswitch.RenewRequest]()).answers("noted", openapi.Of[agentswitch.OK]()),
		describe(http.MethodPost, agentPath+"/watch/heartbeat", "connections", "Be present, for clients that poll").
			answers("noted", openapi.Of[agentswitch.OK]()),
	}
}

func roomEndpoints() []*endpoint {
	upload := describe(http.MethodPost, agentPath+"/rooms/{room_id}/media", "messages", "Post files as one message").idempotent().
		answers("posted", openapi.Of[agentswitch.MediaAnswer]()).
		refuses("no file, an empty or too large one, or no such room or thread", http.StatusBadRequest)
	file := map[string]any{"type": "string", "contentMediaType": "application/octet-stream"}
	upload.Body = &openapi.Body{Required: true, Type: "multipart/form-data", Schema: map[string]any{
		"type": "object",
		"properties": map[string]any{
			agentswitch.FormFile: file, agentswitch.FormFiles: map[string]any{"type": "array", "items": file},
			agentswitch.FormCaption: schema("string"), agentswitch.FormThreadID: schema("string"),
		},
	}}
	anything := map[string]openapi.Content{"*/*": {Schema: schema("string")}}
	return []*endpoint{
		describe(http.MethodPost, agentPath+"/message", "messages", "Post a message without a connection").inRoom().idempotent().
			takes(openapi.Of[agentswitch.MessageRequest]()).answers("posted", openapi.Of[agentswitch.MessageAnswer]()),
		upload,
		describe(http.MethodGet, agentPath+"/rooms/{room_id}/media", "messages", "The bytes of a file posted in the room").
			query("mxc", "the pointer from the attachment", true, nil).checked().
			answersWith(http.StatusOK, "the file", anything).answersWith(http.StatusPartialContent, "a part of it", anything).
			answersWith(http.StatusRequestedRangeNotSatisfiable, "the file is shorter", anything).
			refuses("no such room, or no such file in it", http.StatusNotFound),
		describe(http.MethodGet, agentPath+"/rooms/{room_id}/history", "messages", "What was said, oldest first").inRoom().
			query("since", "ISO 8601, inclusive", false, nil).query("before", "ISO 8601, exclusive", false, nil).
			query("limit", "how many of the newest", false, schema("integer")).checked().
			refuses("a time cannot be read", http.StatusBadRequest).
			answers("messages", openapi.Of[agentswitch.HistoryAnswer]()),
		describe(http.MethodGet, "/agents/rooms/{room_id}/participants", "messages", "Who is in the room").inRoom().
			answers("participants", openapi.Of[agentswitch.ParticipantsAnswer]()),
	}
}

func feedbackEndpoints() []*endpoint {
	ok := openapi.Of[agentswitch.OK]()
	return []*endpoint{
		describe(http.MethodPost, agentPath+"/typing", "feedback", "The agent types, or stopped").inRoom().
			takes(openapi.Of[agentswitch.TypingRequest]()).answers("noted", ok),
		describe(http.MethodPost, agentPath+"/status", "feedback", "The agent says how it is").inRoom().
			takes(openapi.Of[agentswitch.StatusReport]()).answers("noted", ok),
		describe(http.MethodPost, agentPath+"/runtime-state", "feedback", "The agent says what it is doing").inRoom().
			takes(openapi.Of[agentswitch.RuntimeState]()).answers("noted", ok),
		describe(http.MethodPost, agentPath+"/events/report", "feedback", "What tools and models were called").inRoom().
			takes(openapi.Of[agentswitch.EventReport]()).answersWith(http.StatusAccepted, "noted", nil),
	}
}

func mediationEndpoints() []*endpoint {
	var out []*endpoint
	for _, m := range []struct {
		path, summary string
		in, out       reflect.Type
	}{
		{"pre-tool-call", "May this tool be called?", openapi.Of[agentswitch.PreToolCall](), openapi.Of[agentswitch.ToolCallVerdict]()},
		{"pre-llm-request", "May this model be asked?", openapi.Of[agentswitch.PreLLMRequest](), openapi.Of[agentswitch.LLMRequestVerdict]()},
		{"post-tool-result", "May this result be used?", openapi.Of[agentswitch.PostToolResult](), openapi.Of[agentswitch.ResultVerdict]()},
		{"post-llm-response", "May this response be used?", openapi.Of[agentswitch.PostLLMResponse](), openapi.Of[agentswitch.ResultVerdict]()},
	} {
		out = append(out, describe(http.MethodPost, agentPath+"/mediation/"+m.path, "feedback", m.summary).inRoom().
			takes(m.in).answers("the verdict", m.out))
	}
	return out
}

func taskEndpoints() []*endpoint {
	task := openapi.Of[agentswitch.Task]()
	post := func(name, summary string, in, out reflect.Type) *endpoint {
		return describe(http.MethodPost, agentPath+"/tasks/"+name, "tasks", summary).takes(in).answers("the task", out).
			refuses("no such room or task", http.StatusNotFound).refuses("the task is not in a state for that", http.StatusConflict)
	}
	return []*endpoint{
		post("delegate", "Ask a member to do something", openapi.Of[agentswitch.DelegateTaskRequest](), openapi.Of[agentswitch.DelegatedTask]()),
		post("accept", "Begin a task", openapi.Of[agentswitch.AcceptTaskRequest](), task),
		post("update", "Note progress", openapi.Of[agentswitch.UpdateTaskRequest](), task),
		post("finalise", "Finish a task", openapi.Of[agentswitch.FinaliseTaskRequest](), task),
		post("cancel", "Withdraw a task", openapi.Of[agentswitch.CancelTaskRequest](), task),
		describe(http.MethodGet, agentPath+"/tasks", "tasks", "The agent's tasks in a room").inRoom().
			query("room_id", "the room", true, nil).query("role", "whose tasks", false, oneOf("delegated", "assigned")).
			query("status", "in this state only", false, nil).checked().
			refuses("a filter cannot be", http.StatusBadRequest).answers("tasks", openapi.Of[agentswitch.TasksAnswer]()),
		describe(http.MethodGet, agentPath+"/tasks/{task_id}", "tasks", "One task").answers("the task", task).
			refuses("no such task", http.StatusNotFound),
	}
}

// writtenByHand are the schemas of wire types that encode themselves.
func writtenByHand() map[reflect.Type]map[string]any {
	object := func(properties map[string]any, required ...string) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	text, orNull := schema("string"), map[string]any{"type": []string{"string", "null"}}
	anything := map[string]any{}
	operation := object(map[string]any{"description": text, "input_schema": schema("object")}, "description", "input_schema")
	envelope := object(map[string]any{
		"type": text, "room_id": text, "bridge_id": orNull, "channel_type": orNull, "payload": schema("object"),
	}, "type", "room_id", "bridge_id", "channel_type", "payload")
	report := object(map[string]any{"type": oneOf("tool_call", "llm_call"), "request_id": text, "timestamp": anything},
		"type", "request_id", "timestamp")
	return map[reflect.Type]map[string]any{
		openapi.Of[agentswitch.Catalog](): object(map[string]any{
			"operations": map[string]any{"type": "object", "additionalProperties": operation},
		}, "operations"),
		openapi.Of[agentswitch.PollAnswer](): object(map[string]any{
			"events": map[string]any{"type": "array", "items": envelope},
		}, "events"),
		openapi.Of[agentswitch.Entry](): object(map[string]any{
			"id": text, "kind": oneOf("message", "room_join"), "sender": orNull, "sender_name": orNull, "body": orNull,
			"timestamp": map[string]any{"type": []string{"integer", "null"}}, "attachments": schema("array"),
			"elided": schema("boolean"),
		}, "id", "kind", "sender", "sender_name", "body", "timestamp"),
		openapi.Of[agentswitch.AgentPatch](): object(map[string]any{
			"description": text, "integration_profile": schema("object"), "metadata": schema("object"),
		}),
		openapi.Of[agentswitch.ReportedEvent](): report,
	}
}
