package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullAfter takes some bytes and then no more, and counts how often it was tried.
type fullAfter struct {
	room, tries int
	err         error
}

func (w *fullAfter) Write(p []byte) (int, error) {
	w.tries++
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestOutputRemembersItsFirstError(t *testing.T) {
	full := &fullAfter{room: 5, err: errors.New("full")}
	out := &output{to: full}
	n, err := out.Write([]byte("abc"))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = out.Write([]byte("def"))
	require.ErrorIs(t, err, full.err)
	require.Equal(t, 2, n)
	full.room = 100
	n, err = out.Write([]byte("ghi"))
	require.ErrorIs(t, err, full.err)
	require.Zero(t, n)
	require.Equal(t, 2, full.tries)
	require.ErrorIs(t, out.err, full.err)
}

func TestOutputKnowsWhereNothingIsSeen(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.True(t, (&output{to: null}).discards())
	require.True(t, (&output{to: io.Discard}).discards())
	require.False(t, (&output{to: file}).discards())
	require.False(t, (&output{to: &bytes.Buffer{}}).discards())
}
