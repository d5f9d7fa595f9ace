package edgefront_test

import "stele/internal/testsocket"

// rawDial opens a socket that sends whatever bytes a test wants, and early right behind the upgrade request.
func (g *gateway) rawDial(path string, early ...[]byte) *testsocket.Socket {
	g.t.Helper()
	return testsocket.Dial(g.t, g.srv.URL+path, patience, early...)
}
