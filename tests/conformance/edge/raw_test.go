package conformance

import (
	"testing"

	"stele/internal/testsocket"
)

// raw opens a socket that sends whatever bytes a test wants, and early right behind the upgrade request.
func (s *server) raw(t *testing.T, path string, early ...[]byte) *testsocket.Socket {
	t.Helper()
	return testsocket.Dial(t, s.url+path, patience, early...)
}
