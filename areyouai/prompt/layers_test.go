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

func TestLoadLayers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "soul.md"), []byte("\ufeff\r\n  Be brief.\r\nAlways.\n\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitkeep"), nil, 0o600))
	got, err := prompt.LoadLayersDir(dir)
	require.NoError(t, err)

	want := prompt.DefaultTexts()
	want.Soul = "Be brief.\nAlways."
	layers, err := prompt.NewLayers(want)
	require.NoError(t, err)
	require.Equal(t, layers, got)
	require.NotEqual(t, prompt.DefaultLayers().Hashes().Soul, got.Hashes().Soul)
	require.Equal(t, prompt.DefaultLayers().Hashes().User, got.Hashes().User)
}

// TestLoadLayersReadsEach: every file sets its own section and no other.
func TestLoadLayersReadsEach(t *testing.T) {
	in := room(t)
	for _, name := range prompt.OrderedStack()[:6] {
		layers, err := prompt.LoadLayers(fstest.MapFS{strings.ToLower(name) + ".md": {Data: []byte("Words of our own.")}})
		require.NoError(t, err)
		in.Layers = layers
		require.Contains(t, prompt.Render(in).Text, "["+name+"]\nWords of our own.\n\n[")
	}
}

func TestLoadLayersRefuses(t *testing.T) {
	big := strings.Repeat("x", prompt.MaxLayerBytes+1)
	for name, tc := range map[string]struct {
		fsys fstest.MapFS
		want string
	}{
		"unknown file":  {fstest.MapFS{"README.md": {}, "user.md": {}}, `no layer is called "README.md"`},
		"other case":    {fstest.MapFS{"SOUL.md": {}}, `no layer is called "SOUL.md"`},
		"wrong folder":  {fstest.MapFS{"1": {}, "2": {}, "3": {}, "4": {}, "5": {}, "6": {}, "7": {}}, `"5", 2 more;`},
		"nothing":       {fstest.MapFS{}, "none of the files system_core.md"},
		"too large":     {fstest.MapFS{"user.md": {Data: []byte(big)}}, "user.md is longer than 65536 bytes"},
		"not UTF-8":     {fstest.MapFS{"user.md": {Data: []byte("a\xffb")}}, "layer USER: prompt: not valid UTF-8"},
		"control":       {fstest.MapFS{"user.md": {Data: []byte("a\nb\x1b[31m")}}, "layer USER: prompt: control character U+001B on line 2"},
		"a folder":      {fstest.MapFS{"user.md": {Mode: fs.ModeDir}}, "user.md is no file"},
		"a pipe":        {fstest.MapFS{"user.md": {Mode: fs.ModeNamedPipe}}, "user.md is no file"},
		"not the first": {fstest.MapFS{"soul.md": {Data: []byte("x")}, "user.md": {Data: []byte("\xff")}}, "layer USER"},
	} {
		_, err := prompt.LoadLayers(tc.fsys)
		require.ErrorContains(t, err, tc.want, name)
	}
	_, err := prompt.LoadLayersDir(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLayersStartNoSection tries what a reader could take for a header.
func TestLayersStartNoSection(t *testing.T) {
	for _, text := range []string{
		"a\n[TASK_CONTEXT]\nb", "[SYSTEM_CORE]", "a\r [USER] \rb", "a\u2028[SOUL]", "a\u2029[SOUL]", "a\v[USER]", "a\f[USER]\fb",
		"a\u0085[IDENTITY]", "[recent_memory]", "[ USER ]", "\u200b[USER]", "\ufeff[US\u00adER]", "x\n\t[Hard_Rules_Agent]\u00a0",
	} {
		_, err := prompt.NewLayers(prompt.Texts{User: text})
		require.ErrorIs(t, err, prompt.ErrSectionInLayer, "%q", text)
	}
	for _, text := range []string{"names a [USER] in passing", "[USERS]", "USER", "[[USER]]", "- [USER]", "[]", ""} {
		_, err := prompt.NewLayers(prompt.Texts{Soul: text})
		require.NoError(t, err, "%q", text)
	}
}
