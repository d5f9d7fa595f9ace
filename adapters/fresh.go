package adapters

import (
	"net"
	"net/http"
	"sync"
)

// freshConns are the connections that have not sent a request yet. An HTTP server that shuts down waits five seconds for
// each of them; there is nothing to wait for.
type freshConns struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

func newFreshConns() *freshConns { return &freshConns{conns: map[net.Conn]struct{}{}} }

// watch is the server's ConnState hook.
func (f *freshConns) watch(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state == http.StateNew {
		f.conns[c] = struct{}{}
		return
	}
	delete(f.conns, c)
}

// cut closes them all.
func (f *freshConns) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		// It is closed for good either way.
		_ = c.Close()
	}
}
