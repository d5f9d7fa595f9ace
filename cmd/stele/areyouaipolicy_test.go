package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai/prompt"
)

func TestReadPhrases(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
		err  string
	}{
		"phrases":    {"\ufeff# ours\n\n  rm -rf \r\nlet me in", []string{"rm -rf", "let me in"}, ""},
		"nothing":    {"# nothing\n", nil, `holds no phrase; give "none"`},
		"too long":   {strings.Repeat("x", maxPhrasesFile+1), nil, "is longer than 65536 bytes"},
		"too many":   {strings.Repeat("x\n", maxPhrases+1), nil, "more than 1000 phrases"},
		"not a text": {"\xff", nil, "is not valid UTF-8"},
	} {
		path := filepath.Join(t.TempDir(), "phrases")
		require.NoError(t, os.WriteFile(path, []byte(tc.text), 0o600))
		got, err := readPhrases(path)
		require.Equal(t, tc.want, got, name)
		if tc.err != "" {
			require.ErrorContains(t, err, tc.err, name)
		} else {
			require.NoError(t, err, name)
		}
	}
	_, err := readPhrases("missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestContentPolicyOfTheFlags(t *testing.T) {
	c := contentPolicy{violations: 3, within: time.Minute, block: time.Hour}
	require.Equal(t, areyouaifront.Policy{Violations: 3, Within: time.Minute, Block: time.Hour}, c.policy(), "the program's phrases")
	c.file, c.violations = "none", 0
	require.Equal(t, areyouaifront.Policy{Phrases: []string{}, Violations: -1, Within: time.Minute, Block: time.Hour}, c.policy())
	c.file, c.phrases = "f", []string{"x"}
	require.Equal(t, []string{"x"}, c.policy().Phrases)
}

// TestAreyouaiOptionsHoldWhatWasSaid: no flag of the door is forgotten on the way to it.
func TestAreyouaiOptionsHoldWhatWasSaid(t *testing.T) {
	c := serveConfig{publicURL: "https://h", limits: areyouaifront.Limits{PostsPerIP: 7}, areyouai: areyouaiConfig{
		adminToken: "sesame", origins: []string{"https://h"}, layers: prompt.DefaultLayers(),
		policy: contentPolicy{violations: 3, phrases: []string{"x"}},
	}}
	o := c.areyouaiOptions()
	require.Equal(t, "https://h", o.PublicURL)
	require.Equal(t, "sesame", o.AdminToken)
	require.Equal(t, []string{"https://h"}, o.Origins)
	require.Same(t, c.areyouai.layers, o.Layers)
	require.Equal(t, 7, o.Limits.PostsPerIP)
	require.Equal(t, areyouaifront.Policy{Violations: 3, Phrases: []string{"x"}}, o.Policy)
	c.areyouai.origins = []string{"none"}
	require.Equal(t, []string{}, c.areyouaiOptions().Origins)
}
