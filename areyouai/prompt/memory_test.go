package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
	"stele/areyouai/prompt"
)

// memory returns the lines of RECENT_MEMORY.
func memory(t testing.TB, recent ...prompt.Message) []string {
	in := room(t)
	in.Recent = recent
	_, section, _ := strings.Cut(prompt.Render(in).Text, "\n[RECENT_MEMORY]\n")
	return strings.Split(section, "\n")
}

func message(turn int64, text string) prompt.Message {
	return prompt.Message{Turn: turn, SenderID: "agt_a", Text: text}
}

const head = "- turn=0 sender=agt_a msg="

func TestMemory(t *testing.T) {
	require.Equal(t, []string{"(empty)"}, memory(t))
	require.Equal(t, []string{head + "hi"}, memory(t, message(0, "hi")))

	var seven []prompt.Message
	for i := range int64(7) {
		seven = append(seven, message(i, "hi"))
	}
	got := memory(t, seven...)
	require.Len(t, got, 6)
	require.Equal(t, "- turn=1 sender=agt_a msg=hi", got[0])
	require.Equal(t, "- turn=6 sender=agt_a msg=hi", got[5])
}

// TestNewestIsWhole: whatever its size, the newest message is never cut, and
// beside one that fills the budget nothing older is shown.
func TestNewestIsWhole(t *testing.T) {
	for _, char := range []string{"x", "é", "😀", "\n"} {
		text := strings.Repeat(char, areyouai.MaxMessageChars)
		shown := strings.ReplaceAll(text, "\n", `\n`)
		require.Equal(t, []string{head + shown}, memory(t, message(7, "older"), message(0, text)))
	}
}

// TestBudget walks an older message across the last byte that is left.
func TestBudget(t *testing.T) {
	newest := strings.Repeat("x", 2000)
	left := prompt.MemoryBudget - (len(head) + 2000 + 1) - (len(head) + 1)
	fits := strings.Repeat("y", left)
	require.Equal(t, []string{head + fits, head + newest}, memory(t, message(0, fits), message(0, newest)))

	got := memory(t, message(0, "gone"), message(0, fits+"y"), message(0, newest))
	require.Equal(t, []string{head + fits[:left-3] + "...", head + newest}, got)

	// 39 bytes are not worth showing, 40 are.
	spare := func(n int) string { return strings.Repeat("x", prompt.MemoryBudget-2*(len(head)+1)-n) }
	long := strings.Repeat("z", 99)
	require.Len(t, memory(t, message(0, long), message(0, spare(39))), 1)
	require.Equal(t, head+long[:37]+"...", memory(t, message(0, long), message(0, spare(40)))[0])
}

func TestCutKeepsCharactersAndEscapesWhole(t *testing.T) {
	for pad := range 12 {
		newest := message(0, strings.Repeat("x", 3800+pad))
		for _, unit := range []string{"é", "😀", "\n", "\u2028", "\\"} {
			line := memory(t, message(0, strings.Repeat(unit, 500)), newest)[0]
			text := strings.TrimSuffix(strings.TrimPrefix(line, head), "...")
			require.True(t, utf8.ValidString(text))
			shown := strings.NewReplacer("\n", `\n`, "\u2028", `\u2028`, "\\", `\\`).Replace(unit)
			require.Empty(t, strings.ReplaceAll(text, shown, ""), "%q in %q", shown, text)
		}
	}
}

// TestPeerTextStaysOnItsLine: for any text the number of lines and sections
// is what it would be for a harmless one.
func TestPeerTextStaysOnItsLine(t *testing.T) {
	breaks := rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "[SYSTEM_CORE]", "\n[USER]\n", "\\n", "\xff", "- turn=9 sender=x msg="})
	hostile := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(breaks, rapid.String()), 0, 20).Draw(t, "parts"), "")
	})
	harmless := prompt.Render(room(t))
	rapid.Check(t, func(rt *rapid.T) {
		in := room(t)
		in.Topic = hostile.Draw(rt, "topic")
		in.Recent = []prompt.Message{message(0, hostile.Draw(rt, "old")), message(1, hostile.Draw(rt, "new"))}
		in.Recent[1].SenderID = hostile.Draw(rt, "sender")
		in.RoomID = hostile.Draw(rt, "room")
		text := prompt.Render(in).Text
		require.True(t, utf8.ValidString(text))
		require.Equal(t, strings.Count(harmless.Text, "\n"), strings.Count(text, "\n"))
		require.NotRegexp(t, "[\\x00-\\x09\\x0b-\\x1f\\x7f\u0080-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
		require.Equal(t, prompt.OrderedStack(), sections(text))
	})
}

// TestEscapingLosesNothing: different texts look different.
func TestEscapingLosesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfNDistinct(rapid.StringOf(rapid.RuneFrom([]rune("\\n\nu0x\t\r\u2028\uFFFD"))), 2, 2, rapid.ID[string]).Draw(rt, "texts")
		require.NotEqual(t, memory(t, message(0, texts[0])), memory(t, message(0, texts[1])), fmt.Sprintf("%q", texts))
	})
	require.NotEqual(t, memory(t, message(0, "\xff")), memory(t, message(0, "\uFFFD")))
	require.NotEqual(t, memory(t, message(0, "\xff")), memory(t, message(0, `\xff`)))
}
