package password_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/password"
)

func TestOnlyThePasswordMatches(t *testing.T) {
	stored, err := password.Make("correct horse")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$"), stored)
	require.NotContains(t, stored, "correct")
	require.True(t, password.Matches(stored, "correct horse"))
	for _, wrong := range []string{"", "correct hors", "correct horse ", "Correct horse", strings.Repeat("x", password.MaxBytes+1)} {
		require.False(t, password.Matches(stored, wrong), wrong)
	}
	again, err := password.Make("correct horse")
	require.NoError(t, err)
	require.NotEqual(t, stored, again, "a salt of its own")
}

// The hash was printed by Debian's argon2 program, version 20171227:
//
//	printf 'correct horse' | argon2 somesaltsomesalt -id -t 2 -k 19456 -p 1 -e
func TestAHashOfAnotherProgramMatches(t *testing.T) {
	const stored = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$k9ohroejZy1PN5E1SbHNPug6vB8eQAahb5SOAp6iGF4"
	require.True(t, password.Matches(stored, "correct horse"))
}

func TestPasswordsAreBounded(t *testing.T) {
	_, err := password.Make("nine char")
	require.ErrorIs(t, err, password.ErrTooShort)
	_, err = password.Make("zehn Größe")
	require.NoError(t, err)
	_, err = password.Make(strings.Repeat("x", password.MaxBytes+1))
	require.ErrorIs(t, err, password.ErrTooLong)
}

func TestWhatIsNoHashMatchesNothing(t *testing.T) {
	for _, stored := range []string{
		"", "$", "plain", "$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$c29tZXNhbHQ", "$argon2id$v=16$m=1,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHQ",
		"$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$c29tZXNhbHRzb21lc2FsdA",
		"$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHRzb21lc2FsdA$c29tZXNhbHRzb21lc2FsdA",
		"$argon2id$v=19$m=64,t=1,p=0$c29tZXNhbHRzb21lc2FsdA$c29tZXNhbHRzb21lc2FsdA",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$",
	} {
		require.False(t, password.Matches(stored, ""), stored)
		require.False(t, password.Matches(stored, "correct horse"), stored)
	}
}
