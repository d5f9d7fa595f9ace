package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestKeysAndOverwriting(t *testing.T) {
	n := newNode(t)
	require.NoError(t, n.AddRegistrationToken(t.Context(), "owner", "let-me-in"))
	require.True(t, n.HasRegistrationTokens())
	cred := n.Authenticate("let-me-in")
	require.Equal(t, core.RegistrationToken, cred.Kind)
	require.Equal(t, "owner", cred.Owner)

	first, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada", Owner: "owner"}})
	require.NoError(t, err)
	require.Equal(t, first.Agent.ID, n.Authenticate(first.Key).Agent)
	require.NotContains(t, first.Agent.KeyHash, first.Key)

	_, err = n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada", Owner: "owner"}})
	var taken *core.NameTakenError
	require.ErrorAs(t, err, &taken)
	_, err = n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: "ada", Handle: "ada", Owner: "another"}, Overwrite: true,
	})
	require.ErrorIs(t, err, core.ErrNotOwner)

	second, err := n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: "ada", Handle: "ada", Owner: "owner"}, Overwrite: true,
	})
	require.NoError(t, err)
	require.Equal(t, first.Agent.ID, second.Agent.ID)
	require.Equal(t, core.NoCredential, n.Authenticate(first.Key).Kind, "the old key is dead at once")
	require.Equal(t, second.Agent.ID, n.Authenticate(second.Key).Agent)

	for _, bad := range []string{"", "Ada", "-a", "a b", "a\n", strings.Repeat("a", 257)} {
		_, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: bad, Handle: bad}})
		var invalid *core.InvalidError
		require.ErrorAs(t, err, &invalid, "%q", bad)
	}
}

func TestHandlesAreDerivedFromAnyName(t *testing.T) {
	n := newNode(t)
	seen := map[string]bool{}
	for _, name := range []string{"Bert", "bert", "Bert the 2nd!", "日本", "...", strings.Repeat("x", 400), "bert", "a\r\nb"} {
		r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: name}, DeriveHandle: true})
		require.NoError(t, err)
		require.Regexp(t, core.HandleForm, r.Agent.Handle)
		require.False(t, seen[r.Agent.Handle])
		seen[r.Agent.Handle] = true
		found, ok := n.AgentByHandle(r.Agent.Handle)
		require.True(t, ok)
		require.Equal(t, r.Agent.ID, found.ID)
	}
	for range 60 {
		_, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "crowd"}, DeriveHandle: true})
		require.NoError(t, err)
	}
}

func TestSessionsEndAfterFourteenDays(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, NodeID: "a"})
	ada := register(t, n, "ada")
	first, until, err := n.OpenSession(t.Context(), core.Credential{Agent: ada.ID})
	require.NoError(t, err)
	require.Equal(t, now.Now().Add(14*24*time.Hour), until)
	now.Advance(24 * time.Hour)
	second, _, err := n.OpenSession(t.Context(), core.Credential{Agent: ada.ID})
	require.NoError(t, err)
	require.Equal(t, core.SessionToken, n.Authenticate(first).Kind, "a login ends no earlier session")
	now.Advance(13*24*time.Hour - time.Millisecond)
	require.Equal(t, ada.ID, n.Authenticate(first).Agent)
	now.Advance(time.Millisecond)
	require.Equal(t, core.NoCredential, n.Authenticate(first).Kind)
	require.Equal(t, ada.ID, n.Authenticate(second).Agent)
	again := openNode(t, log, core.Options{Now: now.Now, NodeID: "b"})
	require.Equal(t, ada.ID, again.Authenticate(second).Agent, "sessions survive a restart")
	require.Equal(t, core.NoCredential, again.Authenticate("as_guess").Kind)
}

func TestRoomTokens(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	ada, bob, eve := register(t, n, "ada"), register(t, n, "bob"), register(t, n, "eve")
	room := turnsRoom(t, n, ada, bob, 10)
	_, _, err := n.MintRoomToken(t.Context(), eve.ID, room)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, _, err = n.MintRoomToken(t.Context(), ada.ID, "room_none")
	require.ErrorIs(t, err, core.ErrNoRoom)

	old, _, err := n.MintRoomToken(t.Context(), ada.ID, room)
	require.NoError(t, err)
	token, until, err := n.MintRoomToken(t.Context(), ada.ID, room)
	require.NoError(t, err)
	require.Equal(t, core.NoCredential, n.Authenticate(old).Kind, "minting ends the one before")
	require.Equal(t, now.Now().Add(5*time.Minute), until)
	cred := n.Authenticate(token)
	require.Equal(t, core.RoomTokenKind, cred.Kind)
	require.Equal(t, room, cred.Room)

	// It slides when used in its last minute, and never becomes shorter.
	now.Advance(3 * time.Minute)
	require.NoError(t, n.UseRoomToken(t.Context(), n.Authenticate(token)))
	require.Equal(t, until, n.Authenticate(token).Until)
	now.Advance(time.Minute)
	require.NoError(t, n.UseRoomToken(t.Context(), n.Authenticate(token)))
	require.Equal(t, now.Now().Add(5*time.Minute), n.Authenticate(token).Until)
	now.Advance(4 * time.Minute)
	require.Equal(t, ada.ID, n.Authenticate(token).Agent)

	other, _, err := n.MintRoomToken(t.Context(), bob.ID, room)
	require.NoError(t, err)
	_, _, err = n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: ada.ID}, nil)
	require.NoError(t, err)
	for _, dead := range []string{token, other} {
		require.Equal(t, core.NoCredential, n.Authenticate(dead).Kind, "closing the room ends its tokens")
	}
	_, _, err = n.MintRoomToken(t.Context(), ada.ID, room)
	var ended *core.RoomNotActiveError
	require.ErrorAs(t, err, &ended)
}

func TestHumanCode(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	ada := register(t, n, "ada")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "x"}, Members: []core.NewMember{member(ada)}, HumanCodeHash: core.HashSecret("hc_code"),
	}, nil)
	require.NoError(t, err)
	for code, want := range map[string]bool{"hc_code": true, "hc_codex": false, "": false} {
		opens, err := n.HumanCodeOpens(t.Context(), made.Room, code)
		require.NoError(t, err)
		require.Equal(t, want, opens, code)
	}
	_, err = n.HumanCodeOpens(t.Context(), "room_none", "hc_code")
	require.ErrorIs(t, err, core.ErrNoRoom)
	now.Advance(core.HumanCodeLife)
	opens, err := n.HumanCodeOpens(t.Context(), made.Room, "hc_code")
	require.NoError(t, err)
	require.False(t, opens)
}
