package edgefront

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// hasToken looks for a token in a comma-separated header, without regard to case.
func hasToken(h http.Header, key, token string) bool {
	for _, line := range h.Values(key) {
		for t := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

func isHandshakeKey(key string) bool {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key))
	return err == nil && len(raw) == 16
}
