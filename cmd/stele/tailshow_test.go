package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
	"stele/core"
)

func shown(t *testing.T, columns int, beside bool, formats ...scripts.Script) string {
	t.Helper()
	var b strings.Builder
	s := &shower{out: &b, formats: formats, beside: beside, columns: func() int { return columns }}
	require.NoError(t, s.item(gatewayfront.Item{
		Version: 7, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kind: core.MessagePosted,
		Frames: map[scripts.Script][]string{
			scripts.Switch:   {"id: 12\ndata: {\"body\":\"日本語日本語日本語日本語 \u202eevil\u009b2J\"}\n\n"},
			scripts.Areyouai: {},
			scripts.Edge:     {"{\"kind\":\"messages\"}\n", "{\"kind\":\"event\"}\n"},
		},
	}))
	return b.String()
}

func TestTailShowsScriptsBesideEachOther(t *testing.T) {
	three := []scripts.Script{scripts.Switch, scripts.Areyouai, scripts.Edge}
	got := shown(t, 84, true, three...)
	require.Equal(t, strings.Join([]string{
		"── 7 message.posted 2026-01-02T03:04:05Z " + strings.Repeat("─", 43),
		"switch                     │ areyouai                   │ edge",
		"id: 12                     │ -                          │ {\"kind\":\"messages\"}",
		"data: {\"body\":\"日本語日本  │                            │ {\"kind\":\"event\"}",
		"語日本語日本語 \\u{202e}evi │                            │",
		"l\\u{9b}2J\"}                │                            │",
		"",
	}, "\n"), got)
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, displayWidth(strings.TrimSuffix(line, "\n")), 84)
	}
	// Too narrow for columns, and no terminal at all: below each other.
	for _, columns := range []int{60, 0} {
		got := shown(t, columns, true, three...)
		require.Contains(t, got, "\nswitch   │ id: 12\n")
		require.Contains(t, got, "\nareyouai │ -\n")
		require.Contains(t, got, "\nedge     │ {\"kind\":\"event\"}\n")
	}
}

func TestTailPassesBytesOnAndKeepsThemOffTerminals(t *testing.T) {
	require.Equal(t, "id: 12\ndata: {\"body\":\"日本語日本語日本語日本語 \u202eevil\u009b2J\"}\n\n", shown(t, 0, false, scripts.Switch))
	require.Equal(t, "{\"kind\":\"messages\"}\n{\"kind\":\"event\"}\n", shown(t, 0, false, scripts.Edge))
	onTerminal := shown(t, 80, false, scripts.Switch)
	require.NotContains(t, onTerminal, "\u202e")
	require.NotContains(t, onTerminal, "\u009b")
	require.Contains(t, onTerminal, `\u{202e}evil\u{9b}2J`)
	require.Empty(t, shown(t, 0, false, scripts.Areyouai))
}

func TestWrapKeepsEverything(t *testing.T) {
	for _, line := range []string{"", "x", strings.Repeat("ab", 40), strings.Repeat("日", 30), "e\u0301" + strings.Repeat("x", 30)} {
		pieces := wrap(line, 10)
		require.Equal(t, line, strings.Join(pieces, ""))
		for _, p := range pieces {
			require.LessOrEqual(t, displayWidth(p), 10)
		}
	}
}
