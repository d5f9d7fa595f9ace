package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAScreenShowsWhatWouldSteerIt(t *testing.T) {
	const text = "a\tb\nd\u00e9j\u00e0 \U0001f600 \x1b[2J \u009b2J \x7f \u202eevil\r\n\x9b31m"
	const want = "a\tb\nd\u00e9j\u00e0 \U0001f600 \\u{1b}[2J \\u{9b}2J \\u{7f} \\u{202e}evil\\u{d}\n\ufffd31m"
	for size := 1; size <= len(text); size++ {
		var got bytes.Buffer
		out := &output{to: &got, screen: &screen{to: &got}}
		for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			part := rest[:min(size, len(rest))]
			n, err := out.Write(part)
			require.NoError(t, err)
			require.Equal(t, len(part), n)
		}
		require.Equal(t, want, got.String(), "%d bytes at a time", size)
	}
}

func TestOnlyATerminalIsAScreen(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer device.Close()
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.NotNil(t, newOutput(device).screen)
	require.Nil(t, newOutput(file).screen)
}
