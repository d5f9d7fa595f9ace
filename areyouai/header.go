package areyouai

import (
	"encoding/hex"
	"net/http"
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
// Control characters are dropped, so that the echo cannot forge a header or a
// log line (CWE-113, CWE-117).
func RequestID(h http.Header, random [8]byte) string {
	for _, name := range [...]string{"X-Request-Id", "X-Correlation-Id"} {
		id := strings.Map(printableASCII, h.Get(name))
		if id = strings.TrimSpace(id); id != "" {
			return id[:min(len(id), maxRequestIDBytes)]
		}
	}
	return "req_" + hex.EncodeToString(random[:])
}

func printableASCII(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}
