package prompt_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"stele/areyouai/prompt"
)

func TestDefaultLayers(t *testing.T) {
	texts := prompt.DefaultTexts()
	for _, text := range []string{texts.SystemCore, texts.HardRulesGlobal, texts.HardRulesAgent, texts.Identity, texts.Soul, texts.User} {
		require.Greater(t, len(text), 200)
	}
	again, err := prompt.NewLayers(texts)
	require.NoError(t, err)
	require.Equal(t, prompt.DefaultLayers(), again)
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "SOUL.md"), []byte("\r\n  Be brief.\r\nAlways.\n\n"), 0o600))
	got, err := prompt.LoadDir(dir)
	require.NoError(t, err)

	want := prompt.DefaultTexts()
	want.Soul = "Be brief.\nAlways."
	layers, err := prompt.NewLayers(want)
	require.NoError(t, err)
	require.Equal(t, layers, got)
	require.NotEqual(t, prompt.DefaultLayers().Hashes().Soul, got.Hashes().Soul)
	require.Equal(t, prompt.DefaultLayers().Hashes().User, got.Hashes().User)
}

func TestLoadRefuses(t *testing.T) {
	big := strings.Repeat("x", prompt.MaxLayerBytes+1)
	for name, fsys := range map[string]fstest.MapFS{
		"wrong folder": {"README.md": {Data: []byte("x")}},
		"too large":    {"USER.md": {Data: []byte(big)}},
		"not UTF-8":    {"USER.md": {Data: []byte("a\xffb")}},
		"a folder":     {"USER.md": {Mode: fs.ModeDir}},
	} {
		_, err := prompt.Load(fsys)
		require.Error(t, err, name)
	}
	for _, text := range []string{"a\n[TASK_CONTEXT]\nb", "[SYSTEM_CORE]", "a\r [USER] \rb", "a\u2028[SOUL]"} {
		_, err := prompt.Load(fstest.MapFS{"USER.md": {Data: []byte(text)}})
		require.ErrorIs(t, err, prompt.ErrSectionInLayer, "%q", text)
	}
	_, err := prompt.LoadDir(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = prompt.NewLayers(prompt.Texts{Soul: "names a [USER] in passing"})
	require.NoError(t, err)
}
