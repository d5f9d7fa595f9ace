package switchfront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"stele/adapters/switchfront"
	"stele/core"
)

// TestVerdicts: a tool or a model that the agent registered may be used, and what came of it always.
func TestVerdicts(t *testing.T) {
	g := newGateway(t, setup{})
	made, err := g.node.Register(context.Background(), core.Registration{Agent: core.Agent{
		Name: "custom", Handle: "custom", Tools: []core.Ability{{Name: "Dig"}, {Name: ""}}, Models: []core.Ability{{Name: "m-1"}},
	}})
	require.NoError(t, err)
	bare, err := g.node.Register(context.Background(), core.Registration{Agent: core.Agent{
		Name: "bare", Handle: "bare", KnownType: "codex",
	}})
	require.NoError(t, err)
	typed := &agent{g: g, id: bare.Agent.ID, key: bare.Key, name: "bare"}
	known := g.register("alice")
	custom := &agent{g: g, id: made.Agent.ID, key: made.Key, name: "custom"}
	room := known.room("", known, custom, typed)
	ask := func(who *agent, hook, more string) string {
		t.Helper()
		before := g.node.Applied()
		r := who.call("/mediation/"+hook, `{"room_id":"`+room+`","request_id":"q"`+more+`}`)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Equal(t, before, g.node.Applied(), "nothing of it is stored")
		return r.body
	}
	tool := func(who *agent, name string) string {
		return ask(who, "pre-tool-call", fmt.Sprintf(`,"tool_name":%q,"arguments":{}`, name))
	}
	const proceed = `{"verdict":"proceed","reason":null,"modified_arguments":null}`
	require.Equal(t, proceed, tool(known, "Bash"))
	require.Equal(t, proceed, tool(known, "WebFetch"))
	require.Equal(t, proceed, tool(custom, "Dig"))
	require.Equal(t, proceed, tool(typed, "Shell"), "what comes with a type need not be registered")
	for who, name := range map[*agent]string{known: "Dig", custom: "Bash"} {
		require.Equal(t, `{"verdict":"blocked","reason":"\"`+name+`\" is no tool that this agent registered","modified_arguments":null}`, tool(who, name))
	}
	for _, name := range []string{"bash", "Bash ", "m-1", strings.Repeat("x", 9000)} {
		body := tool(known, name)
		require.Contains(t, body, `{"verdict":"blocked"`, name)
		require.Less(t, len(body), 1000)
	}
	model := func(who *agent, name string) string {
		return ask(who, "pre-llm-request", fmt.Sprintf(`,"model":%q,"messages":[]`, name))
	}
	require.Equal(t, `{"verdict":"proceed","reason":null,"modified_messages":null}`, model(custom, "m-1"))
	require.Equal(t, `{"verdict":"blocked","reason":"\"Dig\" is no model that this agent registered","modified_messages":null}`, model(custom, "Dig"))
	require.Contains(t, model(known, "m-1"), `"blocked"`)
	const ok = `{"verdict":"ok","reason":null,"result":null}`
	require.Equal(t, ok, ask(known, "post-tool-result", `,"tool_name":"none","result":{"a":[1]}`))
	require.Equal(t, ok, ask(known, "post-llm-response", `,"model":"none","response":null,"usage":{}`))
}

// TestVerdictInTime: without one within the protocol's time the answer is a 404.
func TestVerdictInTime(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	g.front.JudgeWithin(time.Millisecond, func(ctx context.Context) (bool, error) {
		<-ctx.Done()
		return true, ctx.Err()
	})
	for hook, more := range map[string]string{"pre-tool-call": `"tool_name":"Bash","arguments":{}`, "pre-llm-request": `"model":"m","messages":[]`} {
		r := a.call("/mediation/"+hook, `{"room_id":"`+room+`","request_id":"q",`+more+`}`)
		require.Equal(t, 404, r.status, r.body)
		require.Equal(t, `{"detail":"No verdict came within 1ms"}`, r.body)
	}
}

func TestMediationRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign := a.room("", a), b.room("", b)
	for path, fields := range map[string]string{
		"/mediation/pre-tool-call":     `"tool_name":"Bash","arguments":{}`,
		"/mediation/pre-llm-request":   `"model":"m","messages":[]`,
		"/mediation/post-tool-result":  `"tool_name":"Bash","result":1`,
		"/mediation/post-llm-response": `"model":"m","response":1`,
		"/events/report":               `"events":[]`,
	} {
		ask := func(room, fields string) reply {
			return a.call(path, `{"room_id":"`+room+`","request_id":"q",`+fields+`}`)
		}
		require.Contains(t, []int{200, 202}, ask(room, fields).status, path)
		r := ask("room_x", fields)
		require.Equal(t, 404, r.status, path)
		require.Equal(t, `{"detail":"no such room"}`, r.body)
		r = ask(foreign, fields)
		require.Equal(t, 403, r.status, path)
		require.Equal(t, `{"detail":"not a member of this room"}`, r.body)
		require.Equal(t, 422, ask(room, `"x":1`).status, path)
		r = g.do("POST", b.path(path), a.key, `{}`)
		require.Equal(t, 403, r.status, path)
		require.Equal(t, `{"detail":"Not authorized for this agent"}`, r.body)
	}
}

// TestReportsAreLoggedWithoutContent: names and numbers are, and nothing that a model or tool was told or said.
func TestReportsAreLoggedWithoutContent(t *testing.T) {
	logs, seen := observer.New(zapcore.DebugLevel)
	g := newGateway(t, setup{front: switchfront.Options{Logger: zap.New(logs)}})
	a := g.register("alice")
	room := a.room("", a)
	before := g.node.Applied()
	r := a.call("/events/report", `{"room_id":"`+room+`","events":[
		{"type":"tool_call","tool_name":"Bash","arguments":{"command":"SECRET"},"result":"SECRET","request_id":"q-1","timestamp":"SECRET","duration_ms":12.5,"cost":0.25},
		{"type":"llm_call","model":"m-1","messages":["SECRET"],"response":{"SECRET":1},"request_id":"q-2","timestamp":1,"usage":{"SECRET":2},"cost":"SECRET"}]}`)
	require.Equal(t, 202, r.status, r.body)
	require.Empty(t, r.body)
	require.NotContains(t, r.header, "Content-Type")
	require.Equal(t, before, g.node.Applied(), "a report is not stored")
	entries := seen.FilterMessage("agent reported a call").All()
	require.Len(t, entries, 2)
	require.Equal(t, map[string]any{
		"agent": a.id, "room": room, "type": "tool_call", "tool": "Bash", "request_id": "q-1", "duration_ms": 12.5, "cost": 0.25,
	}, entries[0].ContextMap())
	require.Equal(t, map[string]any{
		"agent": a.id, "room": room, "type": "llm_call", "model": "m-1", "request_id": "q-2",
	}, entries[1].ContextMap())
	for _, e := range seen.All() {
		require.NotContains(t, fmt.Sprint(e.Message, e.ContextMap()), "SECRET")
	}

	const call = `{"type":"tool_call","tool_name":"%s","arguments":{},"result":null,"request_id":"q","timestamp":1}`
	r = a.call("/events/report", `{"room_id":"`+room+`","events":[`+fmt.Sprintf(call, strings.Repeat("é", 5000))+`]}`)
	require.Equal(t, 202, r.status)
	entries = seen.FilterMessage("agent reported a call").All()
	require.Equal(t, strings.Repeat("é", 128)+"…", entries[2].ContextMap()["tool"])
	many := strings.TrimSuffix(strings.Repeat(fmt.Sprintf(call, "t")+",", 1001), ",")
	r = a.call("/events/report", `{"room_id":"`+room+`","events":[`+many+`]}`)
	require.Equal(t, 400, r.status)
	require.Equal(t, `{"detail":"a report holds at most 1000 events"}`, r.body)
	require.Len(t, seen.FilterMessage("agent reported a call").All(), 3)
}
