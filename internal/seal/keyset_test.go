package seal_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"stele/internal/seal"
)

func TestAKeysetThatCannotBeMeantIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		entry int
	}{
		"no id":             {oldMaterial, 1},
		"an empty id":       {"=" + oldMaterial, 1},
		"an odd id":         {"a:b=" + oldMaterial, 1},
		"a long id":         {strings.Repeat("k", seal.MaxKeyIDBytes+1) + "=" + oldMaterial, 1},
		"no material":       {"a=", 1},
		"short material":    {"a=fifteen letters", 1},
		"an empty entry":    {"a=" + oldMaterial + ",", 2},
		"an id twice":       {"a=" + oldMaterial + ",b=" + newMaterial + ",a=" + newMaterial, 3},
		"more than 64 keys": {strings.Repeat("a="+oldMaterial+",", seal.MaxKeys+1), seal.MaxKeys + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := seal.ParseKeyset(c.text)
			require.Nil(t, s)
			var config *seal.ConfigError
			require.ErrorAs(t, err, &config)
			require.Equal(t, c.entry, config.Entry)
			require.NotContains(t, err.Error(), oldMaterial)
			require.NotContains(t, err.Error(), "fifteen")
		})
	}
	_, err := seal.SingleKey("fifteen letters")
	var config *seal.ConfigError
	require.ErrorAs(t, err, &config)
	require.NotContains(t, err.Error(), "fifteen")
}

func TestMaterialKeepsItsEqualsSignsAndLosesTheSpaceAround(t *testing.T) {
	sealed, err := keyset(t, "default=c2l4dGVlbiBieXRlcw==").Seal([]byte("x"), "o")
	require.NoError(t, err)
	got, err := single(t, " c2l4dGVlbiBieXRlcw==\n").Open(sealed, "o")
	require.NoError(t, err)
	require.Equal(t, "x", string(got))
}

// Loggers and formatting meet a keyset directly, behind pointers and inside structs whose fields they can not call.
func TestNoFormattingShowsAKey(t *testing.T) {
	s := single(t, oldMaterial)
	type inside struct {
		Exported *seal.Keyset
		hidden   *seal.Keyset
		value    seal.Keyset
	}
	holder := inside{s, s, *s}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		require.Equal(t, s.String(), fmt.Sprintf(verb, s), verb)
		require.Equal(t, s.String(), fmt.Sprintf(verb, *s), verb)
		for _, v := range []any{s, *s, holder, &holder, []*seal.Keyset{s}, map[string]seal.Keyset{"k": *s}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	encoded, err := json.Marshal(map[string]any{"a": s, "b": *s, "c": holder})
	require.NoError(t, err)
	out.Write(encoded)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "keys", s, "value", *s, "holder", holder)
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&out), zap.DebugLevel)
	zap.New(core).Info("x", zap.Any("keys", s), zap.Any("value", *s), zap.Reflect("holder", holder))

	text := out.String()
	require.Contains(t, text, s.String())
	require.Contains(t, text, s.GoString())
	sum := sha256.Sum256([]byte(oldMaterial))
	for _, secret := range []string{
		oldMaterial,
		hex.EncodeToString(sum[:4]),
		strings.ToUpper(hex.EncodeToString(sum[:4])),
		base64.StdEncoding.EncodeToString(sum[:])[:8],
		strings.Trim(fmt.Sprint(sum[:3]), "[]"),
		fmt.Sprintf("%#x, %#x", sum[0], sum[1]),
		// The cipher keeps the key as words of four bytes.
		fmt.Sprint(uint32(sum[0]) | uint32(sum[1])<<8 | uint32(sum[2])<<16 | uint32(sum[3])<<24),
		fmt.Sprint(uint32(sum[3]) | uint32(sum[2])<<8 | uint32(sum[1])<<16 | uint32(sum[0])<<24),
	} {
		require.NotContains(t, text, secret)
	}
}
