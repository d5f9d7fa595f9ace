package transport

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// TooLargeError: a body has more bytes than are read.
type TooLargeError struct {
	// Max is the limit in bytes.
	Max int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("request body is larger than %d bytes", e.Max)
}

// ReadBody reads the whole body of a request, at most limit bytes. Errors: a *[TooLargeError], or what reading the
// connection said.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, &TooLargeError{Max: limit}
	}
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, &TooLargeError{Max: limit}
	}
	return body, nil
}

// Bearer returns the token of an Authorization header that begins with exactly "Bearer " (case-sensitive, one space), and
// false without one. The token may be anything, also nothing that was ever issued.
func Bearer(r *http.Request) (token string, ok bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// ClientIP returns the address of the TCP peer, without port and zone. Headers that claim another address are not looked
// at: anybody can send them (CWE-348).
func ClientIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	return addr.Unmap().WithZone("").String()
}
