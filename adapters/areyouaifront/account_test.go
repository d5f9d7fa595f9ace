package areyouaifront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestRegisterAndLogin(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	first := as[areyouai.RegisterReply](g, 201, g.post("/v1/agent/register", "", `{"name":"  Ada Ü  ","x":1}`))
	second := as[areyouai.RegisterReply](g, 201, g.post("/v1/agent/register", "", `{"name":"Ada Ü"}`))
	require.NotEqual(t, first, second)
	require.Regexp(t, `^agt_`, first.AgentID)
	require.Regexp(t, `^ak_[A-Za-z0-9_-]{32}$`, first.APIKey)
	a, ok := g.node.Agent(first.AgentID)
	require.True(t, ok)
	require.Equal(t, "Ada Ü", a.Name)
	require.Equal(t, "ada-", a.Handle)
	require.Equal(t, core.StatusManualPoll, g.node.Presence(first.AgentID, "room_x"))

	// Every login makes a session of its own, and the earlier ones stay good.
	login := fmt.Sprintf(`{"api_key":" %s\n"}`, first.APIKey)
	login = strings.ReplaceAll(login, "\n", `\n`)
	one := as[areyouai.LoginReply](g, 200, g.post("/v1/agent/login", "", login))
	two := as[areyouai.LoginReply](g, 200, g.post("/v1/agent/login", "", login))
	require.Regexp(t, `^as_[A-Za-z0-9_-]{32}$`, one.SessionToken)
	require.NotEqual(t, one, two)
	for _, token := range []string{one.SessionToken, two.SessionToken} {
		require.Equal(t, 201, g.post("/v1/listings", token, `{"topic":"t"}`).status)
	}
	require.NoError(t, g.node.AddRegistrationToken(context.Background(), "owner", "registration"))
	for _, bad := range []string{"ak_unknown", one.SessionToken, "registration", strings.Repeat("k", 600)} {
		require.Equal(t, noSession, g.post("/v1/agent/login", "", `{"api_key":"`+bad+`"}`).body)
	}
}

// TestSecretsAreHashed: what the log holds opens no door.
func TestSecretsAreHashed(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	p := g.person("Ada")
	l := g.listing(p, `{"topic":"t"}`)
	token, _, err := g.node.MintRoomToken(context.Background(), p.id, l.RoomID)
	require.NoError(t, err)
	var everything strings.Builder
	head, err := g.log.Head(context.Background())
	require.NoError(t, err)
	for batch, err := range g.log.Tail(context.Background(), 0) {
		require.NoError(t, err)
		for _, rec := range batch {
			everything.Write(rec.Body)
			everything.Write(rec.Content)
			everything.Write(rec.Receipt)
		}
		if batch[len(batch)-1].Position == head {
			break
		}
	}
	for _, secret := range []string{p.key, p.token, l.HumanCode, token} {
		require.NotContains(t, everything.String(), secret[5:])
		require.Contains(t, everything.String(), core.HashSecret(secret))
	}
}

// TestOneKeyOpensEveryDoor: an agent that another door registered logs in here.
func TestOneKeyOpensEveryDoor(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	made, err := g.node.Register(context.Background(), core.Registration{Agent: core.Agent{Name: "Else", Handle: "else", Owner: "o"}})
	require.NoError(t, err)
	s := as[areyouai.LoginReply](g, 200, g.post("/v1/agent/login", "", `{"api_key":"`+made.Key+`"}`))
	require.Equal(t, made.Agent.ID, g.listing(person{token: s.SessionToken}, `{"topic":"t"}`).AgentID)
}

func TestSessionsEnd(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.roomOf(`{"topic":"t","ttl_seconds":99999999}`)
	g.clock.Advance(14*24*time.Hour - time.Second)
	require.Equal(t, 200, g.get(r.path("/state"), r.a.token).status)
	g.clock.Advance(time.Second)
	require.Equal(t, noSession, g.get(r.path("/state"), r.a.token).body)
}

// TestBearers pins which credential works where. What is not a credential for a route is 401; the token of another room
// is 403.
func TestBearers(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r, other := g.room(), g.room()
	mint := func() string {
		token, _, err := g.node.MintRoomToken(context.Background(), r.a.id, r.id)
		require.NoError(t, err)
		return token
	}
	old := mint()
	token := mint()
	require.NoError(t, g.node.AddRegistrationToken(context.Background(), "owner", "registration"))

	roomRoutes := []struct{ method, tail string }{
		{"GET", "/state"}, {"GET", "/context"}, {"POST", "/context/ack"}, {"POST", "/messages"}, {"POST", "/close"},
	}
	for _, route := range roomRoutes {
		for name, bad := range map[string]string{
			"none": "", "nonsense": "as_nonsense", "API key": r.a.key, "registration token": "registration", "replaced room token": old,
			"long": strings.Repeat("a", 600),
		} {
			got := g.do(ask{method: route.method, path: r.path(route.tail), token: bad, body: "no json"})
			require.Equal(t, noSession, got.body, "%s with %s", route.tail, name)
		}
		got := g.do(ask{method: route.method, path: other.path(route.tail), token: token, body: "no json"})
		require.Equal(t, `{"error":"forbidden","status":403,"recoverable":false}`+"\n", got.body, route.tail)
	}
	for _, header := range []string{"bearer " + r.a.token, "Bearer", "Bearer ", "Basic " + r.a.token, r.a.token} {
		got := g.do(ask{method: "GET", path: r.path("/state"), header: map[string]string{"Authorization": header}})
		require.Equal(t, noSession, got.body, header)
	}
	require.Equal(t, 200, g.do(ask{method: "GET", path: r.path("/state"), header: map[string]string{"Authorization": "Bearer  " + r.a.token + " "}}).status)

	for _, route := range []ask{
		{method: "POST", path: "/v1/listings"},
		{method: "POST", path: "/v1/listings/" + r.listing + "/connect"},
		{method: "GET", path: r.path("/events")},
		{method: "GET", path: r.path("/events/history")},
	} {
		for _, bad := range []string{"", r.a.key, token, "nonsense"} {
			route.token = bad
			require.Equal(t, noSession, g.do(route).body, "%s with %s", route.path, bad)
		}
	}
}

// TestRoomToken: it works on the routes of its room, slides when it is about to end, and ends with the room.
func TestRoomToken(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	token, until, err := g.node.MintRoomToken(context.Background(), r.a.id, r.id)
	require.NoError(t, err)
	automaton := person{id: r.a.id, token: token}
	end := func() time.Time { return g.node.Authenticate(token).Until }

	require.Equal(t, 200, g.get(r.path("/state"), token).status)
	require.Equal(t, 200, g.post(r.path("/context/ack"), token, `{"turn_index":0}`).status)
	r.say(automaton, "hello")
	require.Equal(t, until, end(), "with more than a minute left nothing slides")

	g.clock.Advance(4 * time.Minute)
	require.Equal(t, 400, g.post(r.path("/context/ack"), token, `{}`).status)
	require.Equal(t, until, end(), "a refused call does not slide")
	require.Equal(t, 200, g.get(r.path("/context"), token).status)
	require.Equal(t, until.Add(4*time.Minute), end())
	g.clock.Advance(5*time.Minute - time.Millisecond)
	require.Equal(t, 200, g.get(r.path("/state"), token).status)

	require.Equal(t, 200, g.post(r.path("/close"), token, "").status)
	require.Equal(t, noSession, g.post(r.path("/close"), token, "").body, "the first close ended the token")
	require.Equal(t, 200, g.post(r.path("/close"), r.a.token, "").status)

	lapsed := g.room()
	token, _, err = g.node.MintRoomToken(context.Background(), lapsed.a.id, lapsed.id)
	require.NoError(t, err)
	g.clock.Advance(5 * time.Minute)
	require.Equal(t, noSession, g.get(lapsed.path("/state"), token).body)
}
