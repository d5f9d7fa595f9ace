package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"stele/core"
	"stele/core/memlog"
)

func TestSocketIsForItsUserAlone(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	ln, remove, err := listenSocket(dir)
	require.NoError(t, err)
	is, err := os.Lstat(filepath.Join(dir, socketName))
	require.NoError(t, err)
	require.Equal(t, os.ModeSocket|0o600, is.Mode())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder in which it came to be is gone")

	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			accepted <- c
		}
		close(accepted)
	}()
	conn, err := dialGateway(t.Context(), dir)
	require.NoError(t, err)
	require.NotNil(t, conn)
	require.NoError(t, conn.Close())
	require.NoError(t, (<-accepted).Close())
	require.NoError(t, ln.Close())

	// Nobody is behind it any more.
	conn, err = dialGateway(t.Context(), dir)
	require.NoError(t, err)
	require.Nil(t, conn)
	require.NoError(t, remove())
	conn, err = dialGateway(t.Context(), dir)
	require.NoError(t, err)
	require.Nil(t, conn)
	conn, err = dialGateway(t.Context(), filepath.Join(dir, "missing", strings.Repeat("x", maxSocketPath)))
	require.NoError(t, err)
	require.Nil(t, conn)
}

// TestControlsInTheGateway: a control that this version does not know is refused with its name, a refusal has its own
// text, and the end of the server waits for nobody who does not ask.
func TestControlsInTheGateway(t *testing.T) {
	dir := t.TempDir()
	log := memlog.New()
	node, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close(context.Background())) })
	s := startControl(t.Context(), dir, node, zap.NewNop())
	require.NotNil(t, s)
	made, err := ask(t.Context(), dir, createToken(), ofOwner{Owner: "acme"})
	require.NoError(t, err)
	require.Equal(t, core.RegistrationToken, node.Authenticate(made.Token).Kind)
	require.Equal(t, node.RegistrationTokens(), []core.TokenInfo{made.TokenInfo})
	_, err = ask(t.Context(), dir, createToken(), ofOwner{})
	require.EqualError(t, err, "owner: must not be empty, or begin or end with white space")
	later := createToken()
	later.name = "make-coffee"
	_, err = ask(t.Context(), dir, later, ofOwner{Owner: "acme"})
	require.ErrorContains(t, err, `of another version and does not know "/make-coffee"`)

	idle, err := dialGateway(t.Context(), dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, idle.Close()) }()
	end, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_ = s.close(end)
	_, err = os.Lstat(filepath.Join(dir, socketName))
	require.ErrorIs(t, err, os.ErrNotExist)
	var none *controlServer
	require.NoError(t, none.close(t.Context()), "a gateway without a socket has nothing to end")
}
