package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// TestDirectoryIsWhatItsLogSays runs random commands on agents and tokens and asserts that folding the log anew gives the
// directory that was built live, that of all keys and tokens exactly the present ones open anything, that nobody is below
// itself, and that an agent that is gone is nowhere.
func TestDirectoryIsWhatItsLogSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		now, log := newClock(), memlog.New()
		n, err := core.Open(ctx, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, n.Close(ctx)) }()
		m := &census{n: n, secrets: map[string][]string{}, tokens: map[string]bool{}, gone: map[string]bool{}}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			now.Advance(time.Duration(rapid.IntRange(0, 2).Draw(rt, "advance")) * time.Millisecond)
			m.step(rt)
		}
		m.check(rt, log)
	})
}

// census is what a test knows of agents and tokens.
type census struct {
	n *core.Node
	// secrets are those that must work, by agent: its key first, then its sessions. dead are those that must not.
	secrets map[string][]string
	dead    []string
	tokens  map[string]bool
	gone    map[string]bool
}

func (m *census) step(rt *rapid.T) {
	ctx := context.Background()
	pick := func(name string, of []string) string { return rapid.SampledFrom(append(of, "agt_none")).Draw(rt, name) }
	var ids []string
	for _, a := range m.n.Agents() {
		ids = append(ids, a.ID)
	}
	agent := pick("agent", ids)
	var err error
	switch rapid.SampledFrom([]string{"register", "register", "together", "change", "rotate", "delete", "token", "revoke", "session", "room"}).Draw(rt, "command") {
	case "register":
		var made core.Registered
		if made, err = m.n.Register(ctx, m.registration(rt, ids)); err == nil {
			m.keyed(made)
		}
	case "together":
		all := []core.Registration{m.registration(rt, ids), m.registration(rt, ids)}
		var made []core.Registered
		if made, err = m.n.RegisterAll(ctx, "", all); err == nil {
			m.keyed(made...)
		}
	case "change":
		text, parent := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "text"), pick("parent", ids)
		_, err = m.n.ChangeAgent(ctx, core.ChangeAgent{Agent: agent, Description: &text, Parent: &parent})
	case "rotate":
		var made core.Registered
		if made, err = m.n.RotateKey(ctx, agent); err == nil {
			m.keyed(made)
		}
	case "delete":
		if err = m.n.DeleteAgent(ctx, agent); err == nil {
			m.bury(agent)
			m.gone[agent] = true
		}
	case "token":
		var token string
		if token, err = m.n.NewRegistrationToken(ctx, "olga"); err == nil {
			m.tokens[token] = true
		}
	case "revoke":
		err = m.revoke(ctx)
	case "session":
		key, session := append(m.secrets[agent], "")[0], ""
		if session, _, err = m.n.OpenSession(ctx, m.n.Authenticate(key)); err == nil {
			m.secrets[agent] = append(m.secrets[agent], session)
		}
	case "room":
		if a, ok := m.n.Agent(agent); ok {
			_, _, err = m.n.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "r"}, Members: []core.NewMember{member(a)}}, nil)
		}
	}
	require.True(rt, err == nil || refusedAgent(err), "unexpected: %v", err)
}

func (m *census) registration(rt *rapid.T, ids []string) core.Registration {
	handle := fmt.Sprintf("h%d", rapid.IntRange(0, 5).Draw(rt, "handle"))
	return core.Registration{
		Agent: core.Agent{
			Name: handle, Handle: handle, Owner: rapid.SampledFrom([]string{"olga", "otto"}).Draw(rt, "owner"),
			Parent: rapid.SampledFrom(append(ids, "", "")).Draw(rt, "parent"),
		},
		Overwrite: rapid.Bool().Draw(rt, "overwrite"),
	}
}

// keyed notes new keys; the keys and sessions before are dead.
func (m *census) keyed(made ...core.Registered) {
	for _, r := range made {
		m.bury(r.Agent.ID)
		m.secrets[r.Agent.ID] = []string{r.Key}
	}
}

func (m *census) bury(agent string) {
	m.dead = append(m.dead, m.secrets[agent]...)
	delete(m.secrets, agent)
}

func (m *census) revoke(ctx context.Context) error {
	for token := range m.tokens {
		info, err := m.n.TokenInfo(token)
		if err != nil {
			return err
		}
		delete(m.tokens, token)
		m.dead = append(m.dead, token)
		return m.n.RevokeTokens(ctx, info.ID)
	}
	return m.n.RevokeTokens(ctx, "tok_000000000000")
}

func refusedAgent(err error) bool {
	var (
		taken   *core.NameTakenError
		several *core.NamesTakenError
		invalid *core.InvalidError
	)
	return errors.Is(err, core.ErrNoAgent) || errors.Is(err, core.ErrNotOwner) || errors.Is(err, core.ErrNoToken) ||
		errors.As(err, &taken) || errors.As(err, &several) || errors.As(err, &invalid)
}

func (m *census) check(rt *rapid.T, log core.Log) {
	ctx := context.Background()
	rebuilt := &core.Directory{}
	for rec, err := range log.Read(ctx, core.DirectoryStream, 0) {
		require.NoError(rt, err)
		require.Equal(rt, rebuilt.Version+1, rec.Version, "versions are contiguous")
		// As from a disk: without what was decided still at hand.
		fresh := core.Recorded{Event: core.Event{Kind: rec.Kind, Version: rec.Version, At: rec.At, Body: rec.Body, Content: rec.Content}}
		require.NoError(rt, core.DecodeRecord(&fresh))
		rebuilt.Apply(&fresh)
	}
	m.n.ViewDirectory(func(d *core.Directory) {
		live, err := json.Marshal(d)
		require.NoError(rt, err)
		again, err := json.Marshal(rebuilt)
		require.NoError(rt, err)
		require.Equal(rt, string(again), string(live))
		for id, a := range d.Agents {
			steps := 0
			for up := a.Parent; up != ""; up = d.Agents[up].Parent {
				require.NotNil(rt, d.Agents[up], "a parent exists")
				require.NotEqual(rt, id, up, "nobody is below itself")
				steps++
				require.LessOrEqual(rt, steps, len(d.Agents))
			}
		}
	})
	for agent, secrets := range m.secrets {
		for _, secret := range secrets {
			require.Equal(rt, agent, m.n.Authenticate(secret).Agent)
		}
	}
	for token := range m.tokens {
		require.Equal(rt, core.RegistrationToken, m.n.Authenticate(token).Kind)
	}
	for _, secret := range m.dead {
		require.Equal(rt, core.NoCredential, m.n.Authenticate(secret).Kind)
	}
	for agent := range m.gone {
		require.Empty(rt, m.n.RoomsOf(agent))
	}
}
