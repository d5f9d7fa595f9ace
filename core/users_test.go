package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func newUser(t testing.TB, n *core.Node, name string, admin bool) core.User {
	t.Helper()
	u, err := n.CreateUser(t.Context(), core.NewUser{Name: name, PasswordHash: "hash of " + name, Admin: admin})
	require.NoError(t, err)
	return u
}

func TestPeopleSignInAndSpeakAsThemselves(t *testing.T) {
	now := newClock()
	log := memlog.New()
	n := openNode(t, log, core.Options{Now: now.Now})
	newUser(t, n, "ida", false)
	require.False(t, n.HasAdmin())
	olga := newUser(t, n, "Olga", true)
	require.True(t, n.HasAdmin())
	require.Empty(t, n.Agents(), "nobody is a participant before it acts")
	agent, err := n.Participant(t.Context(), olga.ID)
	require.NoError(t, err)
	again, err := n.Participant(t.Context(), olga.ID)
	require.NoError(t, err)
	require.Equal(t, agent, again)
	olga, ok := n.User(olga.ID)
	require.True(t, ok)
	require.Equal(t, agent.ID, olga.Agent)
	require.Equal(t, "olga", agent.Handle)
	require.Equal(t, "Olga", agent.Owner)
	require.Equal(t, core.KnownTypePerson, agent.KnownType)

	_, err = n.CreateUser(t.Context(), core.NewUser{Name: "Olga"})
	var taken *core.NameTakenError
	require.ErrorAs(t, err, &taken)
	_, err = n.CreateUser(t.Context(), core.NewUser{Name: " "})
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "name", invalid.Field)

	secret, session, err := n.OpenUserSession(t.Context(), olga.ID, "a browser", time.Time{})
	require.NoError(t, err)
	token, key, err := n.NewUserToken(t.Context(), olga.ID, "a script", time.Time{})
	require.NoError(t, err)
	for s, want := range map[string]core.UserKey{secret: session, token: key} {
		who, got, ok := n.AuthenticateUser(s)
		require.True(t, ok)
		require.Equal(t, olga, who)
		require.Equal(t, want, got)
		require.Equal(t, core.NoCredential, n.Authenticate(s).Kind, "no door of agents opens to it")
	}
	_, _, ok = n.AuthenticateUser(secret + "x")
	require.False(t, ok)

	later := openNode(t, log, core.Options{Now: now.Now, NodeID: "again"})
	who, _, ok := later.AuthenticateUser(secret)
	require.True(t, ok, "a restart signs nobody out")
	require.Equal(t, olga, who)

	now.Advance(core.UserSessionLife)
	_, _, ok = n.AuthenticateUser(secret)
	require.False(t, ok)
	_, _, ok = n.AuthenticateUser(token)
	require.True(t, ok, "a token without an end stands")
	require.Equal(t, []core.UserKey{key}, n.UserKeys(olga.ID))
	require.NoError(t, n.RevokeUserKey(t.Context(), olga.ID, key.ID))
	_, _, ok = n.AuthenticateUser(token)
	require.False(t, ok)
	require.ErrorIs(t, n.RevokeUserKey(t.Context(), olga.ID, key.ID), core.ErrNoUserKey)
}

func TestANewPasswordEndsTheSessionsOfTheOldOne(t *testing.T) {
	n := newNode(t)
	olga, karl := newUser(t, n, "olga", true), newUser(t, n, "karl", false)
	here, kept, err := n.OpenUserSession(t.Context(), olga.ID, "here", time.Time{})
	require.NoError(t, err)
	there, _, err := n.OpenUserSession(t.Context(), olga.ID, "there", time.Time{})
	require.NoError(t, err)
	token, _, err := n.NewUserToken(t.Context(), olga.ID, "script", time.Time{})
	require.NoError(t, err)
	karls, _, err := n.OpenUserSession(t.Context(), karl.ID, "his", time.Time{})
	require.NoError(t, err)
	require.NoError(t, n.SetPassword(t.Context(), olga.ID, "another hash", kept.ID))
	for secret, stands := range map[string]bool{here: true, there: false, token: true, karls: true} {
		_, _, ok := n.AuthenticateUser(secret)
		require.Equal(t, stands, ok)
	}
	got, _ := n.User(olga.ID)
	require.Equal(t, "another hash", got.PasswordHash)
	require.ErrorIs(t, n.SetPassword(t.Context(), "usr_none", "x", ""), core.ErrNoUser)

	_, session, ok := n.AuthenticateUser(karls)
	require.True(t, ok)
	require.NoError(t, n.SetPassword(t.Context(), olga.ID, "a third hash", session.ID))
	require.Empty(t, n.UserKeys(olga.ID), "who took the account may have made the token")
}

func TestSessionsAreBounded(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	olga := newUser(t, n, "olga", true)
	first := ""
	for i := range 33 {
		secret, _, err := n.OpenUserSession(t.Context(), olga.ID, "browser", time.Time{})
		require.NoError(t, err)
		if i == 0 {
			first = secret
		}
		now.Advance(time.Second)
	}
	require.Len(t, n.UserKeys(olga.ID), 32)
	_, _, ok := n.AuthenticateUser(first)
	require.False(t, ok, "the oldest makes room")
	for range 32 {
		_, _, err := n.NewUserToken(t.Context(), olga.ID, "script", time.Time{})
		require.NoError(t, err)
	}
	_, _, err := n.NewUserToken(t.Context(), olga.ID, "script", time.Time{})
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid, "a program's token does not end because there is another")
}

func TestSomebodyAlwaysLooksAfterTheGateway(t *testing.T) {
	n := newNode(t)
	olga, karl := newUser(t, n, "olga", true), newUser(t, n, "karl", false)
	require.ErrorIs(t, n.DeleteUser(t.Context(), olga.ID), core.ErrLastAdmin)
	require.ErrorIs(t, n.SetAdmin(t.Context(), olga.ID, false), core.ErrLastAdmin)
	require.NoError(t, n.SetAdmin(t.Context(), karl.ID, true))
	room := openRoom(t, n, participant(t, n, &olga), participant(t, n, &karl))
	secret, _, err := n.OpenUserSession(t.Context(), olga.ID, "", time.Time{})
	require.NoError(t, err)
	require.NoError(t, n.DeleteUser(t.Context(), olga.ID))
	_, _, ok := n.AuthenticateUser(secret)
	require.False(t, ok)
	_, ok = n.Agent(olga.Agent)
	require.False(t, ok)
	require.False(t, n.IsMember(olga.Agent, room))
	require.True(t, n.IsMember(karl.Agent, room))
	require.Len(t, n.Users(), 1)
}

func TestNobodyTakesAPersonsPlace(t *testing.T) {
	n := newNode(t)
	olga := newUser(t, n, "olga", true)
	participant(t, n, &olga)
	_, err := n.Register(t.Context(), core.Registration{Overwrite: true, Agent: core.Agent{Name: "olga", Handle: "olga", Owner: "olga"}})
	var taken *core.NameTakenError
	require.ErrorAs(t, err, &taken)
	_, err = n.RotateKey(t.Context(), olga.Agent)
	require.ErrorIs(t, err, core.ErrPerson)
	require.ErrorIs(t, n.DeleteAgent(t.Context(), olga.Agent), core.ErrPerson)
}

func TestTheLogTellsWhoActed(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	ctx := core.WithActor(t.Context(), "user olga")
	require.NoError(t, n.AddRegistrationToken(ctx, "acme", "let-me-in"))
	made, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
	require.NoError(t, err)
	_, err = n.RotateKey(ctx, made.Agent.ID)
	require.NoError(t, err)
	words := "changed"
	_, err = n.ChangeAgent(ctx, core.ChangeAgent{Agent: made.Agent.ID, Description: &words})
	require.NoError(t, err)
	require.NoError(t, n.DeleteAgent(ctx, made.Agent.ID))
	info, err := n.TokenInfo("let-me-in")
	require.NoError(t, err)
	require.NoError(t, n.RevokeTokens(ctx, info.ID))
	seen := 0
	for rec, err := range log.Read(context.Background(), core.DirectoryStream, 0) {
		require.NoError(t, err)
		require.Contains(t, string(rec.Body), `"by":"user olga"`, rec.Kind)
		seen++
	}
	require.Equal(t, 6, seen)
}

// participant makes the person's participant and looks the person up again.
func participant(t testing.TB, n *core.Node, u *core.User) core.Agent {
	t.Helper()
	a, err := n.Participant(t.Context(), u.ID)
	require.NoError(t, err)
	*u, _ = n.User(u.ID)
	return a
}
