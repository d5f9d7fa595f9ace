package seal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/internal/seal"
)

const (
	oldMaterial = "correct horse battery staple"
	newMaterial = "another long enough piece of material"
)

func keyset(t require.TestingT, text string) *seal.Keyset {
	s, err := seal.ParseKeyset(text)
	require.NoError(t, err)
	return s
}

func single(t require.TestingT, material string) *seal.Keyset {
	s, err := seal.SingleKey(material)
	require.NoError(t, err)
	return s
}

// The vectors were made with the AESGCM of Python's cryptography 48: key SHA-256 of the material, nonce 00 01 … 0b,
// additional data "enc:v1:<kid>:<owner>".
func TestOpenReadsWhatAnotherImplementationSealed(t *testing.T) {
	for _, c := range []struct{ name, keys, sealed, owner, want string }{
		{
			"the single key", "default=" + oldMaterial,
			"enc:v1:default:AAECAwQFBgcICQoLYKWvNg_ylo-44LsZhHHJ3YUlJLaWm_W1UL4", "whk_1", "whsec_test",
		},
		{
			"nothing sealed for nobody", "k-2.x=" + oldMaterial,
			"enc:v1:k-2.x:AAECAwQFBgcICQoL3JWoA8gPUJiG4dRuOLl-MQ", "", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := keyset(t, c.keys).Open(c.sealed, c.owner)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestEverySecretComesBackForItsOwnerOnly(t *testing.T) {
	s := keyset(t, "a="+newMaterial+",b="+oldMaterial)
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "secret")
		owner := rapid.StringN(-1, -1, seal.MaxOwnerBytes).Draw(t, "owner")
		other := rapid.StringN(-1, -1, seal.MaxOwnerBytes).Filter(func(o string) bool { return o != owner }).Draw(t, "other")

		sealed, err := s.Seal(secret, owner)
		require.NoError(t, err)
		require.Regexp(t, `^enc:v1:a:[A-Za-z0-9_-]+$`, sealed)
		if len(secret) > 8 {
			require.NotContains(t, sealed, string(secret))
		}
		got, err := s.Open(sealed, owner)
		require.NoError(t, err)
		require.Equal(t, string(secret), string(got))

		_, err = s.Open(sealed, other)
		require.ErrorIs(t, err, seal.ErrTampered)

		again, err := s.Seal(secret, owner)
		require.NoError(t, err)
		require.NotEqual(t, sealed, again, "the nonce was used twice")
	})
}

func TestNoChangedCharacterOpens(t *testing.T) {
	s := single(t, oldMaterial)
	sealed, err := s.Seal([]byte("whsec_test"), "whk_1")
	require.NoError(t, err)
	for i := range len(sealed) {
		for _, c := range []byte("A_z0:\n=") {
			if sealed[i] == c {
				continue
			}
			changed := sealed[:i] + string(c) + sealed[i+1:]
			_, err := s.Open(changed, "whk_1")
			require.Error(t, err, "%q", changed)
			inserted := sealed[:i] + string(c) + sealed[i:]
			_, err = s.Open(inserted, "whk_1")
			require.Error(t, err, "%q", inserted)
		}
		_, err := s.Open(sealed[:i], "whk_1")
		require.Error(t, err)
	}
}

func TestRotation(t *testing.T) {
	before := single(t, oldMaterial)
	sealedBefore, err := before.Seal([]byte("one"), "o")
	require.NoError(t, err)

	during := keyset(t, " k2 = "+newMaterial+" , default="+oldMaterial)
	got, err := during.Open(sealedBefore, "o")
	require.NoError(t, err)
	require.Equal(t, "one", string(got))
	sealedDuring, err := during.Seal([]byte("two"), "o")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(sealedDuring, "enc:v1:k2:"), sealedDuring)

	after := keyset(t, "k2="+newMaterial)
	got, err = after.Open(sealedDuring, "o")
	require.NoError(t, err)
	require.Equal(t, "two", string(got))
	_, err = after.Open(sealedBefore, "o")
	require.ErrorIs(t, err, seal.ErrUnknownKey)

	_, err = keyset(t, "k2="+oldMaterial).Open(sealedDuring, "o")
	require.ErrorIs(t, err, seal.ErrTampered, "other material under the same id")
	renamed := strings.Replace(sealedBefore, ":default:", ":k2:", 1)
	_, err = keyset(t, "k2="+oldMaterial).Open(renamed, "o")
	require.ErrorIs(t, err, seal.ErrTampered, "the key id is part of what is sealed")
}

func TestWithoutAKeyNothingIsSealed(t *testing.T) {
	for name, s := range map[string]*seal.Keyset{
		"nil": nil, "zero": {}, "empty text": keyset(t, " "), "empty material": single(t, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			require.False(t, s.Configured())
			_, err := s.Seal([]byte("x"), "o")
			require.ErrorIs(t, err, seal.ErrNoKey)
			_, err = s.Open("x", "o")
			require.ErrorIs(t, err, seal.ErrNoKey)
		})
	}
	require.True(t, single(t, oldMaterial).Configured())
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	s := single(t, oldMaterial)
	sealed, err := s.Seal([]byte("whsec_test"), "whk_1")
	require.NoError(t, err)
	text := strings.TrimPrefix(sealed, "enc:v1:default:")
	for name, c := range map[string]struct {
		sealed string
		want   error
	}{
		"empty":             {"", seal.ErrMalformed},
		"clear text":        {"whsec_test", seal.ErrMalformed},
		"other version":     {"enc:v2:default:" + text, seal.ErrMalformed},
		"no key id":         {"enc:v1:" + text, seal.ErrMalformed},
		"empty key id":      {"enc:v1::" + text, seal.ErrMalformed},
		"odd key id":        {"enc:v1:a b:" + text, seal.ErrMalformed},
		"too long a key id": {"enc:v1:" + strings.Repeat("k", 65) + ":" + text, seal.ErrMalformed},
		"no text":           {"enc:v1:default:", seal.ErrMalformed},
		"shorter than tag":  {"enc:v1:default:" + text[:36], seal.ErrMalformed},
		"standard base64":   {"enc:v1:default:" + text[:20] + "+/" + text[22:], seal.ErrMalformed},
		"padded":            {sealed + "=", seal.ErrMalformed},
		"a line break":      {sealed + "\n", seal.ErrMalformed},
		"a stray bit":       {sealed[:len(sealed)-1] + string(sealed[len(sealed)-1]+1), seal.ErrMalformed},
		"far too long":      {sealed + strings.Repeat("A", 32<<10), seal.ErrMalformed},
		"another key":       {"enc:v1:k9:" + text, seal.ErrUnknownKey},
		"another tag":       {sealed[:len(sealed)-4] + "AAAA", seal.ErrTampered},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Open(c.sealed, "whk_1")
			require.ErrorIs(t, err, c.want)
		})
	}
}

func TestSizesAreBounded(t *testing.T) {
	s := single(t, oldMaterial)
	largest := make([]byte, seal.MaxPlaintextBytes)
	owner := strings.Repeat("o", seal.MaxOwnerBytes)
	sealed, err := s.Seal(largest, owner)
	require.NoError(t, err)
	got, err := s.Open(sealed, owner)
	require.NoError(t, err)
	require.Equal(t, largest, got)

	_, err = s.Seal(append(largest, 0), owner)
	require.ErrorIs(t, err, seal.ErrTooLarge)
	_, err = s.Seal(nil, owner+"o")
	require.ErrorIs(t, err, seal.ErrTooLarge)
	_, err = s.Open(sealed, owner+"o")
	require.ErrorIs(t, err, seal.ErrTampered)
}

func FuzzOpen(f *testing.F) {
	const genuine = "enc:v1:default:AAECAwQFBgcICQoLYKWvNg_ylo-44LsZhHHJ3YUlJLaWm_W1UL4"
	s := keyset(f, "k2="+newMaterial+",default="+oldMaterial)
	f.Add(genuine, "whk_1")
	f.Add("enc:v1:k2:AAAA\n", "")
	f.Add("enc:v1:", "whk_1")
	f.Add("whsec_test", "whk_1")
	// There is one text that opens, letter for letter, and one owner it opens for: nobody guesses another.
	f.Fuzz(func(t *testing.T, text, owner string) {
		got, err := s.Open(text, owner)
		if err == nil {
			require.Equal(t, genuine, text)
			require.Equal(t, "whk_1", owner)
			require.Equal(t, "whsec_test", string(got))
			return
		}
		known := errors.Is(err, seal.ErrMalformed) || errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrTampered)
		require.True(t, known, "%v", err)
		require.Nil(t, got)
	})
}
