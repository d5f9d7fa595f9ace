package core_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestChangingAnAgent(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "a"})
	made, err := n.Register(t.Context(), core.Registration{Agent: fullAgent("ada", "olga")})
	require.NoError(t, err)
	ada := made.Agent
	change := func(c core.ChangeAgent) core.Agent {
		c.Agent = ada.ID
		got, err := n.ChangeAgent(t.Context(), c)
		require.NoError(t, err)
		stored, ok := n.Agent(ada.ID)
		require.True(t, ok)
		require.Equal(t, stored, got)
		return got
	}
	want := ada
	text := "second"
	want.Description = text
	require.Equal(t, want, change(core.ChangeAgent{Description: &text}))

	want.Model, want.Profile = core.ModelPassive, json.RawMessage(`{"p":2}`)
	require.Equal(t, want, change(core.ChangeAgent{Profile: &core.Profile{Model: core.ModelPassive, JSON: want.Profile}}))
	require.Equal(t, core.ModelAlwaysOn, want.RegisteredModel, "what it was at registration stays")

	want.Metadata = json.RawMessage(`{"a":[1],"b":null}`)
	require.Equal(t, want, change(core.ChangeAgent{Metadata: map[string]json.RawMessage{"b": json.RawMessage(`null`), "a": json.RawMessage(`[1]`)}}))
	want.Metadata = nil
	require.Equal(t, want, change(core.ChangeAgent{Metadata: map[string]json.RawMessage{}}))

	rebuild := func(kind string, options map[string]json.RawMessage) (core.Rebuilt, error) {
		require.Equal(t, "kind", kind)
		if string(options["x"]) == "0" {
			return core.Rebuilt{}, errors.New("no zero")
		}
		all, err := json.Marshal(options)
		return core.Rebuilt{Options: all, Profile: core.Profile{Model: core.ModelAutoStart, JSON: all}}, err
	}
	want.Options = json.RawMessage(`{"o":1,"x":2}`)
	want.Profile, want.Model = want.Options, core.ModelAutoStart
	require.Equal(t, want, change(core.ChangeAgent{Options: map[string]json.RawMessage{"x": json.RawMessage(`2`)}, Rebuild: rebuild}),
		"options are merged key by key and the profile is built anew")

	want.Policy = &core.AddressingPolicy{Rules: []core.AddressingRule{{Rooms: []string{"*"}, Agents: []string{"agt_x"}}}}
	require.Equal(t, want, change(core.ChangeAgent{Policy: want.Policy}))
	want.Policy = nil
	require.Equal(t, want, change(core.ChangeAgent{Policy: &core.AddressingPolicy{}}), "a policy without rules is none")

	before := n.Applied()
	require.Equal(t, want, change(core.ChangeAgent{Description: &text, Options: map[string]json.RawMessage{}, Rebuild: rebuild}))
	require.Equal(t, before, n.Applied(), "what changes nothing writes nothing")

	_, err = n.ChangeAgent(t.Context(), core.ChangeAgent{
		Agent: ada.ID, Description: new(string), Options: map[string]json.RawMessage{"x": json.RawMessage(`0`)}, Rebuild: rebuild,
	})
	require.EqualError(t, err, "no zero")
	_, err = n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: "agt_none", Description: &text})
	require.ErrorIs(t, err, core.ErrNoAgent)
	bare := register(t, n, "bare")
	_, err = n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: bare.ID, Options: map[string]json.RawMessage{}, Rebuild: rebuild})
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, before+1, n.Applied(), "only the new agent was written")

	again := openNode(t, log, core.Options{NodeID: "b"})
	stored, _ := again.Agent(ada.ID)
	require.Equal(t, want, stored)
}

func TestWhoMayChangeAnAgent(t *testing.T) {
	n := newNode(t)
	of := func(handle, owner string) core.Agent {
		made, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle, Owner: owner}})
		require.NoError(t, err)
		return made.Agent
	}
	ada, sister, stranger, nobody, nobody2 := of("ada", "olga"), of("sister", "olga"), of("stranger", "otto"), of("nobody", ""), of("nobody2", "")
	text := "changed"
	for _, tc := range []struct {
		actor  string
		target core.Agent
		want   error
	}{
		{ada.ID, ada, nil},
		{sister.ID, ada, nil},
		{stranger.ID, ada, core.ErrNotOwner},
		{nobody.ID, ada, core.ErrNotOwner},
		{nobody.ID, nobody2, core.ErrNotOwner},
		{"agt_none", ada, core.ErrNotOwner},
		{"", nobody, nil},
	} {
		_, err := n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: tc.target.ID, Actor: tc.actor, Description: &text})
		require.ErrorIs(t, err, tc.want)
	}
}

func TestParents(t *testing.T) {
	n := newNode(t)
	family := map[string]core.Agent{}
	of := func(handle, owner, parent string) {
		made, err := n.Register(t.Context(), core.Registration{
			Agent: core.Agent{Name: handle, Handle: handle, Owner: owner, Parent: parent},
		})
		require.NoError(t, err)
		family[handle] = made.Agent
	}
	of("a", "olga", "")
	of("b", "olga", family["a"].ID)
	of("c", "olga", family["b"].ID)
	of("x", "otto", "")
	move := func(who, below string) error {
		id := below
		if a, ok := family[below]; ok {
			id = a.ID
		}
		_, err := n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: family[who].ID, Parent: &id})
		return err
	}
	var invalid *core.InvalidError
	for _, below := range []string{"a", "b", "c", "agt_none"} {
		require.ErrorAs(t, move("a", below), &invalid, below)
		require.Equal(t, "parent_agent_id", invalid.Field)
	}
	require.ErrorIs(t, move("x", "a"), core.ErrNotOwner)
	require.NoError(t, move("c", "a"))
	require.NoError(t, move("b", "c"))
	require.ErrorAs(t, move("c", "b"), &invalid)
	require.NoError(t, move("b", ""))
	require.NoError(t, move("c", "b"))

	// A registration that overwrites makes no circle either: b is above c.
	_, err := n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: "b", Handle: "b", Owner: "olga", Parent: family["c"].ID}, Overwrite: true,
	})
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, family["b"].ID, n.ChildrenOf(family["b"].ID)[0].Parent)

	require.NoError(t, n.DeleteAgent(t.Context(), family["b"].ID))
	c, _ := n.Agent(family["c"].ID)
	require.Empty(t, c.Parent, "children of an agent that is gone have no parent")
}

func TestRotatingAKey(t *testing.T) {
	now := newClock()
	log := memlog.New()
	n := openNode(t, log, core.Options{Now: now.Now, NodeID: "a"})
	made, err := n.Register(t.Context(), core.Registration{Agent: fullAgent("ada", "olga")})
	require.NoError(t, err)
	ada := made.Agent
	room := openRoom(t, n, ada)
	old := n.Authenticate(made.Key)
	session, _, err := n.OpenSession(t.Context(), old)
	require.NoError(t, err)
	token, _, err := n.MintRoomToken(t.Context(), ada.ID, room)
	require.NoError(t, err)
	creds := []core.Credential{old, n.Authenticate(session), n.Authenticate(token)}

	renewed, err := n.RotateKey(t.Context(), ada.ID)
	require.NoError(t, err)
	want := ada
	want.KeyHash, want.KeyedAt, want.KeyGeneration = core.HashSecret(renewed.Key), now.Now(), 1
	require.Equal(t, want, renewed.Agent, "only the key is another")
	// Who was let in with the old key, and asks for a session only now, gets one that is dead already.
	late, _, err := n.OpenSession(t.Context(), old)
	require.NoError(t, err)
	fresh, _, err := n.OpenSession(t.Context(), n.Authenticate(renewed.Key))
	require.NoError(t, err)
	again := openNode(t, log, core.Options{Now: now.Now, NodeID: "b"})
	for _, n := range []*core.Node{n, again} {
		for _, dead := range []string{made.Key, session, token, late} {
			require.Equal(t, core.NoCredential, n.Authenticate(dead).Kind)
		}
		require.False(t, slices.ContainsFunc(creds, n.StillValid))
		require.Equal(t, core.SessionToken, n.Authenticate(fresh).Kind)
	}
	now.Advance(time.Minute)
	require.True(t, n.StillValid(n.Authenticate(fresh)))
	_, err = n.RotateKey(t.Context(), "agt_none")
	require.ErrorIs(t, err, core.ErrNoAgent)
}

func TestPoliciesThatNobodyCanMean(t *testing.T) {
	n := newNode(t)
	owned, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "o", Handle: "o", Owner: "olga"}})
	require.NoError(t, err)
	free := register(t, n, "free")
	all := []string{"*"}
	for name, tc := range map[string]struct {
		agent core.Agent
		rules []core.AddressingRule
		good  bool
	}{
		"no rule":             {free, nil, true},
		"an agent":            {free, []core.AddressingRule{{Rooms: all, Agents: []string{"agt_x"}}}, true},
		"a user in groups":    {free, []core.AddressingRule{{Rooms: all, Groups: []string{"g"}, Users: []string{"u"}}}, true},
		"the owner in person": {free, []core.AddressingRule{{Rooms: all, Owner: true}}, true},
		"siblings":            {owned.Agent, []core.AddressingRule{{Rooms: all, OwnerAgents: true}}, true},
		"siblings of nobody":  {free, []core.AddressingRule{{Rooms: all, OwnerAgents: true}}, false},
		"no room":             {free, []core.AddressingRule{{Agents: []string{"agt_x"}}}, false},
		"no group":            {free, []core.AddressingRule{{Rooms: all, Groups: []string{}, Agents: []string{"agt_x"}}}, false},
		"nobody":              {free, []core.AddressingRule{{Rooms: all}}, false},
		"too many":            {free, make([]core.AddressingRule, core.MaxPolicyRules+1), false},
	} {
		_, err := n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: tc.agent.ID, Policy: &core.AddressingPolicy{Rules: tc.rules}})
		var invalid *core.InvalidError
		require.Equal(t, !tc.good, errors.As(err, &invalid), "%s: %v", name, err)
	}
}
