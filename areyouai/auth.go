package areyouai

import "strings"

// ParseBearer returns the token of an Authorization header: the scheme is
// matched with its case, one space follows, the token is trimmed. It reports
// false for anything else, for an empty token and for one longer than
// MaxCredentialBytes. Source: contract, "Presenting them".
func ParseBearer(header string) (string, bool) {
	token, ok := strings.CutPrefix(header, "Bearer ")
	if !ok {
		return "", false
	}
	token = strings.TrimSpace(token)
	return token, token != "" && len(token) <= MaxCredentialBytes
}
