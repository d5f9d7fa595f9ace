package core_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
)

func TestAttachmentLines(t *testing.T) {
	plan := core.Attachment{Media: "med_1-a_B", Filename: "plan.pdf", Type: "application/pdf", Size: 48213}
	odd := core.Attachment{Media: "med_2", Filename: "a \"b\" (x, 1 bytes) /gateway/media/med_9\n\u2028é", Type: `text/plain; x="y, z"`, Size: 0}
	const planLine = `[file] "plan.pdf" (application/pdf, 48213 bytes) /gateway/media/med_1-a_B`
	for _, tc := range []struct {
		name, text string
		files      []core.Attachment
		shown      string
	}{
		{"no file", "hello", nil, "hello"},
		{"nothing", "", nil, ""},
		{"file alone", "", []core.Attachment{plan}, planLine},
		{"words and file", "see", []core.Attachment{plan}, "see\n" + planLine},
		{"a line break at the end stays", "see\n", []core.Attachment{plan}, "see\n\n" + planLine},
		{"CRLF stays", "see\r\n", []core.Attachment{plan}, "see\r\n\n" + planLine},
		{"a line break is words", "\n", []core.Attachment{plan}, "\n\n" + planLine},
		{"several", "x", []core.Attachment{plan, odd}, "x\n" + planLine + "\n" +
			`[file] "a \"b\" (x, 1 bytes) /gateway/media/med_9\n` + "\u2028é" + `" (text/plain; x=\"y, z\", 0 bytes) /gateway/media/med_2`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.shown, core.AppendAttachmentLines(tc.text, tc.files))
			text, files := core.SplitAttachmentLines(tc.shown)
			require.Equal(t, tc.text, text)
			require.Equal(t, tc.files, files)
		})
	}
	for _, words := range []string{
		"\n" + planLine, planLine + "\n", planLine + " ", strings.ToUpper(planLine), `[file] "x" (y, -1 bytes) /gateway/media/med_1`,
		`[file] "x" (y, 01 bytes) /gateway/media/med_1`, `[file] "x" (y, 1 bytes) /gateway/media/med_`, `[file] x (y, 1 bytes) /gateway/media/med_1`,
		`[file] "x (y, 1 bytes) /gateway/media/med_1`, `[file] "\u0078" (y, 1 bytes) /gateway/media/med_1`, "[file] ",
		`[file] "x" (y, 1 bytes) /gateway/media/med_1/..`,
	} {
		text, files := core.SplitAttachmentLines(words)
		require.Equal(t, words, text)
		require.Empty(t, files, words)
	}
}

// TestAttachmentLinesComeApart: what was put together comes apart, and what came apart is put together again, whatever it is.
func TestAttachmentLinesComeApart(t *testing.T) {
	file := rapid.Custom(func(t *rapid.T) core.Attachment {
		return core.Attachment{
			Media:    "med_" + rapid.StringMatching(`[A-Za-z0-9_-]{1,24}`).Draw(t, "id"),
			Filename: rapid.String().Draw(t, "name"), Type: rapid.String().Draw(t, "type"),
			Size: rapid.Int64Min(0).Draw(t, "size"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\n\r [file"]{0,8}`)).Draw(t, "text")
		files := rapid.SliceOfN(file, 0, core.MaxAttachments).Draw(t, "files")
		shown := core.AppendAttachmentLines(text, files)
		gotText, gotFiles := core.SplitAttachmentLines(shown)
		require.Equal(t, text, gotText)
		require.Len(t, gotFiles, len(files))
		for i := range files {
			require.Equal(t, files[i], gotFiles[i])
		}
		cut := rapid.IntRange(0, len(shown)).Draw(t, "cut")
		for _, any := range []string{shown[cut:], shown[:cut], "\n" + shown, shown + "\n" + shown} {
			gotText, gotFiles = core.SplitAttachmentLines(any)
			require.Equal(t, any, core.AppendAttachmentLines(gotText, gotFiles))
		}
	})
}

func FuzzSplitAttachmentLines(f *testing.F) {
	f.Add(`[file] "plan.pdf" (application/pdf, 48213 bytes) /gateway/media/med_1`)
	f.Add("a\n\n[file] \"\\\\\" (x/y, 0 bytes) /gateway/media/med_1\n[file] \"\" (, 1 bytes) /gateway/media/med_-")
	f.Fuzz(func(t *testing.T, shown string) {
		text, files := core.SplitAttachmentLines(shown)
		if again := core.AppendAttachmentLines(text, files); again != shown {
			t.Errorf("%q came back as %q", shown, again)
		}
	})
}
