package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"stele/adapters/scripts"
	"stele/core"
)

// TestTranslateMakesEachGoldenFileFromEachOther runs the command on the files that the scripts' own tests keep.
func TestTranslateMakesEachGoldenFileFromEachOther(t *testing.T) {
	const folder = "../../adapters/scripts/testdata"
	for _, story := range []string{"harbour", "quay"} {
		file := func(s scripts.Script) string { return filepath.Join(folder, story+"."+string(s)) }
		self, agent, channel := placeOf(t, file(scripts.Core))
		for _, from := range scripts.All() {
			for _, to := range scripts.All() {
				want, err := os.ReadFile(file(to))
				require.NoError(t, err)
				var got bytes.Buffer
				root := newRoot(&output{to: &got})
				root.SetArgs([]string{
					"translate", "--from", string(from), "--to", string(to), "--self", self, "--agent", agent, "--channel-type", channel, file(from),
				})
				require.NoError(t, root.ExecuteContext(context.Background()), "%s from %s to %s", story, from, to)
				require.Equal(t, string(want), got.String(), "%s from %s to %s", story, from, to)
			}
		}
	}
}

// placeOf finds from whose place the files show a conversation: the second member looks on, and the first is the agent of the
// edge address.
func placeOf(t *testing.T, file string) (self, agent, channel string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	dec, err := scripts.NewDecoder(scripts.Core, f, scripts.Options{})
	require.NoError(t, err)
	for self == "" {
		e, err := dec.Next()
		require.NoError(t, err)
		switch p := e.Payload.(type) {
		case *core.RoomCreatedEvent:
			channel = p.ChannelType
		case *core.MemberJoinedEvent:
			if agent == "" {
				agent = p.Agent
			} else {
				self = p.Agent
			}
		}
	}
	return self, agent, channel
}

// TestThePageAboutTranslateIsComplete compares docs/translate.md with the command.
func TestThePageAboutTranslateIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/translate.md")
	require.NoError(t, err)
	page := string(text)
	cmd, _, err := newRoot(&output{to: os.Stdout}).Find([]string{"translate"})
	require.NoError(t, err)
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			require.Contains(t, page, "`--"+f.Name+"`")
		}
	})
	for _, s := range scripts.All() {
		require.Contains(t, page, "`"+string(s)+"`")
	}
	// The example of the page is what the command makes of it.
	example := func(name string) string {
		_, rest, ok := strings.Cut(page, "<!-- "+name+" -->\n```text\n")
		require.True(t, ok, name)
		body, _, ok := strings.Cut(rest, "```")
		require.True(t, ok, name)
		return body
	}
	for to, opts := range map[scripts.Script]scripts.Options{
		scripts.Areyouai: {Comments: true, Self: "agt_bob"}, scripts.Edge: {Self: "agt_bob"},
	} {
		var got bytes.Buffer
		err := translate(t.Context(), strings.NewReader(example("switch")), &got, translateConfig{
			from: string(scripts.Switch), to: string(to), opts: opts,
		})
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(example(string(to))), strings.TrimSpace(got.String()))
	}
}
