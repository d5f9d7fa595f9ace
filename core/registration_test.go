package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// fullAgent says everything that an agent can say about itself.
func fullAgent(handle, owner string) core.Agent {
	return core.Agent{
		Name: handle, Handle: handle, Description: "first", Owner: owner, Model: core.ModelAlwaysOn, KnownType: "kind",
		Connector: "Program", Profile: json.RawMessage(`{"p":1}`), Options: json.RawMessage(`{"o":1}`), IconURL: "https://i.example/1",
		Tools:    []core.Ability{{Name: "hammer", Description: "hits", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Models:   []core.Ability{{Name: "small", Description: "fast"}},
		Metadata: json.RawMessage(`{"m":1}`),
	}
}

func TestOverwritingKeepsAndReplaces(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	parent, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "p", Handle: "p", Owner: "olga"}})
	require.NoError(t, err)
	first := fullAgent("ada", "olga")
	first.Parent = parent.Agent.ID
	made, err := n.Register(t.Context(), core.Registration{Agent: first})
	require.NoError(t, err)
	ada := made.Agent
	room := openRoom(t, n, ada)
	policy := &core.AddressingPolicy{Rules: []core.AddressingRule{{Rooms: []string{"*"}, OwnerAgents: true}}}
	_, err = n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: ada.ID, Policy: policy})
	require.NoError(t, err)

	now.Advance(time.Hour)
	second := core.Agent{Name: "Ada", Handle: "ada", Owner: "olga", Description: "second", Model: core.ModelPassive}
	again, err := n.Register(t.Context(), core.Registration{Agent: second, Overwrite: true})
	require.NoError(t, err)
	got, ok := n.Agent(ada.ID)
	require.True(t, ok)
	require.Equal(t, again.Agent, got)
	require.NotEqual(t, made.Key, again.Key)
	require.Equal(t, core.Agent{
		// Kept.
		ID: ada.ID, Handle: "ada", Owner: "olga", IconURL: "https://i.example/1", Policy: policy, CreatedAt: ada.CreatedAt,
		// Replaced, also by nothing.
		Name: "Ada", Description: "second", Model: core.ModelPassive, RegisteredModel: core.ModelPassive,
		KeyHash: core.HashSecret(again.Key), KeyedAt: now.Now(), KeyGeneration: 1,
	}, got)
	require.True(t, n.IsMember(ada.ID, room))
	require.Empty(t, n.ChildrenOf(parent.Agent.ID))

	second.IconURL = "https://i.example/2"
	again, err = n.Register(t.Context(), core.Registration{Agent: second, Overwrite: true})
	require.NoError(t, err)
	require.Equal(t, "https://i.example/2", again.Agent.IconURL)
}

func TestRegistrationTokens(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	for _, owner := range []string{"", " ", "a ", "a\nb", "\xff", strings.Repeat("ü", 257)} {
		_, err := n.NewRegistrationToken(t.Context(), owner)
		var invalid *core.InvalidError
		require.ErrorAs(t, err, &invalid, "%q", owner)
	}
	require.False(t, n.HasRegistrationTokens())
	require.False(t, n.HadRegistrationTokens())
	one, err := n.NewRegistrationToken(t.Context(), "olga")
	require.NoError(t, err)
	now.Advance(time.Second)
	two, err := n.NewRegistrationToken(t.Context(), "otto")
	require.NoError(t, err)
	require.NoError(t, n.AddRegistrationToken(t.Context(), "eve", one), "a token that is known stays its owner's")

	list := n.RegistrationTokens()
	require.Equal(t, []core.TokenInfo{
		{ID: "tok_" + core.HashSecret(one)[:12], Owner: "olga", CreatedAt: now.Now().Add(-time.Second)},
		{ID: "tok_" + core.HashSecret(two)[:12], Owner: "otto", CreatedAt: now.Now()},
	}, list)
	info, err := n.TokenInfo(two)
	require.NoError(t, err)
	require.Equal(t, list[1], info)

	// It is good for any number of agents, and they belong to its owner whatever they say.
	cred := n.Authenticate(one)
	for i := range 3 {
		made, err := n.Register(t.Context(), core.Registration{
			Agent: core.Agent{Name: "a", Handle: fmt.Sprintf("a%d", i), Owner: "eve"}, Token: cred,
		})
		require.NoError(t, err)
		require.Equal(t, "olga", made.Agent.Owner)
	}

	before := n.Applied()
	require.ErrorIs(t, n.RevokeTokens(t.Context(), list[0].ID, "tok_000000000000"), core.ErrNoToken)
	for _, wrong := range []string{"", "tok_", list[0].ID[:len(list[0].ID)-1], core.HashSecret(one), one} {
		require.ErrorIs(t, n.RevokeTokens(t.Context(), wrong), core.ErrNoToken)
	}
	require.Equal(t, before, n.Applied(), "all or none")
	require.NoError(t, n.RevokeTokens(t.Context(), list[0].ID, list[0].ID))
	require.Equal(t, core.NoCredential, n.Authenticate(one).Kind)
	require.Equal(t, list[1:], n.RegistrationTokens())
	_, err = n.TokenInfo(one)
	require.ErrorIs(t, err, core.ErrNoToken)
	_, ok := n.AgentByHandle("a0")
	require.True(t, ok, "its agents live on")

	// A request that was let in before the token was revoked registers nothing after.
	_, err = n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "late", Handle: "late"}, Token: cred})
	require.ErrorIs(t, err, core.ErrNoToken)
	require.NoError(t, n.RevokeTokens(t.Context(), list[1].ID))
	require.False(t, n.HasRegistrationTokens())
	require.True(t, n.HadRegistrationTokens(), "closed on purpose")
}

// TestAgentsTogether: all or nothing, in one unit of the log, and what is wrong is found before anything is made.
func TestAgentsTogether(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	parent, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "p", Handle: "p", Owner: "olga"}})
	require.NoError(t, err)
	p := parent.Agent
	batch := func(overwrite bool, handles ...string) (out []core.Registration) {
		for _, h := range handles {
			out = append(out, core.Registration{
				Agent: core.Agent{Name: h, Handle: h, Owner: "olga", Parent: p.ID}, Overwrite: overwrite,
			})
		}
		return out
	}
	made, err := n.RegisterAll(t.Context(), p.ID, batch(false, "p.a", "p.b", "p.c"))
	require.NoError(t, err)
	require.Len(t, made, 3)
	for i, m := range made {
		require.Equal(t, []string{"p.a", "p.b", "p.c"}[i], m.Agent.Handle)
		require.Equal(t, m.Agent.ID, n.Authenticate(m.Key).Agent)
	}
	require.Len(t, n.ChildrenOf(p.ID), 3)

	foreign, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "f", Handle: "f", Owner: "otto"}})
	require.NoError(t, err)
	before := n.Applied()
	_, err = n.RegisterAll(t.Context(), p.ID, batch(false, "p.x", "p.b", "p.y", "p.a"))
	var taken *core.NamesTakenError
	require.ErrorAs(t, err, &taken)
	require.Equal(t, []string{"p.b", "p.a"}, taken.Names)
	for name, tc := range map[string]struct {
		parent string
		batch  []core.Registration
		is     error
		as     any
	}{
		"unknown parent":       {"agt_none", batch(false, "p.x"), core.ErrNoAgent, nil},
		"another owner's name": {p.ID, batch(true, "p.x", "f"), core.ErrNotOwner, nil},
		"bad name at the end":  {p.ID, batch(false, "p.x", "P.y"), nil, new(*core.InvalidError)},
		"twice":                {p.ID, batch(true, "p.x", "p.x"), nil, new(*core.InvalidError)},
		"its own parent":       {p.ID, batch(true, "p.x", "p"), nil, new(*core.InvalidError)},
		"too many":             {p.ID, make([]core.Registration, core.MaxTogether+1), nil, new(*core.InvalidError)},
	} {
		_, err := n.RegisterAll(t.Context(), tc.parent, tc.batch)
		if tc.is != nil {
			require.ErrorIs(t, err, tc.is, name)
		} else {
			require.ErrorAs(t, err, tc.as, name)
		}
	}
	require.Equal(t, before, n.Applied(), "a refusal changes nothing")

	again, err := n.RegisterAll(t.Context(), p.ID, batch(true, "p.b", "p.d"))
	require.NoError(t, err)
	require.Equal(t, made[1].Agent.ID, again[0].Agent.ID)
	require.Equal(t, core.NoCredential, n.Authenticate(made[1].Key).Kind)
	require.Equal(t, made[0].Agent.ID, n.Authenticate(made[0].Key).Agent)
	_, ok := n.Agent(foreign.Agent.ID)
	require.True(t, ok)
}

func TestAnAgentHasBounds(t *testing.T) {
	n := newNode(t)
	for name, change := range map[string]func(*core.Agent){
		"options": func(a *core.Agent) {
			a.Options = json.RawMessage(`{"o":"` + strings.Repeat("x", core.MaxOptionBytes) + `"}`)
		},
		"metadata": func(a *core.Agent) {
			a.Metadata = json.RawMessage(`{"m":"` + strings.Repeat("x", core.MaxAgentBytes) + `"}`)
		},
		"tools": func(a *core.Agent) { a.Tools = make([]core.Ability, core.MaxAgentBytes) },
	} {
		a := fullAgent("ada", "olga")
		change(&a)
		_, err := n.Register(t.Context(), core.Registration{Agent: a})
		var long *core.TooLongError
		require.ErrorAs(t, err, &long, name)
	}
	ada := register(t, n, "ada")
	long := strings.Repeat("x", core.MaxAgentBytes)
	_, err := n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: ada.ID, Description: &long})
	var tooLong *core.TooLongError
	require.ErrorAs(t, err, &tooLong)
	_, ok := n.Agent(ada.ID)
	require.True(t, ok)
}
