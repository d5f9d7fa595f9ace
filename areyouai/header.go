package areyouai

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

const maxRequestIDBytes = 64

// SetCommonHeaders sets what every reply carries. overTLS adds the transport
// security header. Source: contract, "Basics".
func SetCommonHeaders(h http.Header, requestID string, overTLS bool) {
	h.Set("X-Request-Id", requestID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "geolocation=(), microphone=(), camera=()")
	if overTLS {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

// SetStreamHeaders sets what every SSE reply carries. Source: contract,
// "Streams", "Common".
func SetStreamHeaders(h http.Header) {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-cache, must-revalidate")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
}

// RequestID returns the id to answer with: a non-empty X-Request-Id, else
// X-Correlation-Id, cut to 64 bytes; else "req_" and random as 16 hex digits.
// It is echoed as it came, except for the bytes that no header value may hold
// (CR, LF, NUL and the other controls), so that it cannot forge a header.
func RequestID(h http.Header, random [8]byte) string {
	for _, name := range [...]string{"X-Request-Id", "X-Correlation-Id"} {
		if id := headerValue(h.Get(name)); id != "" {
			return id[:min(len(id), maxRequestIDBytes)]
		}
	}
	return "req_" + hex.EncodeToString(random[:])
}

// headerValue makes s a value as HTTP defines it: without controls, and without
// white space around it. Bytes above ASCII are part of a value and stay.
func headerValue(s string) string {
	value := slices.DeleteFunc([]byte(s), func(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f })
	return strings.Trim(string(value), " \t")
}
