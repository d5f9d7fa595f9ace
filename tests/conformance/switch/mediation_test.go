package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMediation(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, outsider := s.known(t, "claude-code", nil), s.agent(t)
	modelled := s.profiled(t, "always_on", object{"models": []any{object{"name": "big", "description": "thinks"}}})
	room := a.room(t, a, modelled)
	ask := func(t *testing.T, who *agent, hook string, more object) object {
		t.Helper()
		body := object{"room_id": room, "request_id": "r-1"}
		for k, v := range more {
			body[k] = v
		}
		began := time.Now()
		o := who.post(t, "/mediation/"+hook, body).is(200).object()
		require.Less(t, time.Since(began), 5*time.Second)
		return o
	}
	t.Run("pre-tool-call", func(t *testing.T) {
		shows(t, "1.9-pre-tool", "1.9-pre-tool-verdict", "1.9-budget", "0.1-mediation-timeout")
		o := shape(t, ask(t, a, "pre-tool-call", object{"tool_name": "Read", "arguments": object{"path": "/"}}), "verdict string, reason string?, modified_arguments object?")
		require.Equal(t, object{"verdict": "proceed", "reason": nil, "modified_arguments": nil}, o)
		o = ask(t, a, "pre-tool-call", object{"tool_name": "LaunchRockets", "arguments": object{}})
		require.Equal(t, "blocked", o["verdict"])
		require.NotEmpty(t, text(t, o, "reason"))
	})
	t.Run("pre-llm-request", func(t *testing.T) {
		shows(t, "1.9-pre-llm", "1.9-pre-llm-verdict", "1.9-budget")
		o := ask(t, modelled, "pre-llm-request", object{"model": "big", "messages": []any{object{"role": "user"}}})
		require.Equal(t, object{"verdict": "proceed", "reason": nil, "modified_messages": nil}, o)
		o = shape(t, ask(t, modelled, "pre-llm-request", object{"model": "small", "messages": []any{}}), "verdict string, reason string?, modified_messages list?")
		require.Equal(t, "blocked", o["verdict"])
		require.NotEmpty(t, text(t, o, "reason"))
	})
	t.Run("post", func(t *testing.T) {
		shows(t, "1.9-post-tool", "1.9-post-llm")
		want := object{"verdict": "ok", "reason": nil, "result": nil}
		for _, value := range []any{"text", 5, nil, object{"a": []any{}}, []any{1}} {
			require.Equal(t, want, ask(t, a, "post-tool-result", object{"tool_name": "Read", "result": value}))
			require.Equal(t, want, ask(t, a, "post-llm-response", object{"model": "big", "response": value, "usage": object{"tokens": 5}}))
		}
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "1.9-errors")
		for hook, more := range map[string]object{
			"pre-tool-call": {"tool_name": "x", "arguments": object{}}, "pre-llm-request": {"model": "x", "messages": []any{}},
			"post-tool-result": {"tool_name": "x", "result": 1}, "post-llm-response": {"model": "x", "response": 1},
		} {
			with := func(room string) object {
				body := object{"room_id": room, "request_id": "r"}
				for k, v := range more {
					body[k] = v
				}
				return body
			}
			a.post(t, "/mediation/"+hook, with("no-such-room")).refused(404)
			outsider.post(t, "/mediation/"+hook, with(room)).refused(403)
			a.post(t, "/mediation/"+hook, object{"room_id": room}).invalid(422)
		}
		a.post(t, "/events/report", object{"room_id": "no-such-room", "events": []any{}}).refused(404)
		outsider.post(t, "/events/report", object{"room_id": room, "events": []any{}}).refused(403)
	})
	t.Run("report", func(t *testing.T) {
		shows(t, "1.9-report", "1.9-report-kind")
		tool := object{"type": "tool_call", "tool_name": "Read", "arguments": object{}, "result": "x", "request_id": "r", "timestamp": "2026-01-01T00:00:00Z"}
		llm := object{"type": "llm_call", "model": "m", "messages": []any{}, "response": object{}, "request_id": "r", "timestamp": "2026-01-01T00:00:00Z"}
		r := a.post(t, "/events/report", object{"room_id": room, "events": []any{tool, llm}}).is(202)
		require.Empty(t, r.body)
		tool["duration_ms"], tool["cost"] = 12.5, 0.1
		llm["usage"], llm["duration_ms"], llm["cost"] = object{"in": 1}, 7, 1
		a.post(t, "/events/report", object{"room_id": room, "events": []any{tool, llm}}).is(202)
		a.post(t, "/events/report", object{"room_id": room, "events": []any{}}).is(202)
		a.post(t, "/events/report", object{"room_id": room, "events": []any{object{"type": "party"}}}).invalid(422)
		a.post(t, "/events/report", object{"room_id": room, "events": []any{object{"type": "tool_call"}}}).invalid(422)
		a.post(t, "/events/report", object{"room_id": room}).invalid(422)
	})
}
