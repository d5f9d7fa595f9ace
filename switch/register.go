package agentswitch

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"stele/internal/strictjson"
)

// RegisterRequest is the body of POST /agents/register-known.
type RegisterRequest struct {
	AgentType   string `json:"agent_type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Options depend on the type; see KnownOptions. nil means none.
	Options map[string]json.RawMessage `json:"options,omitempty"`
	// Overwrite replaces an agent of the same name and invalidates its key.
	Overwrite bool `json:"overwrite,omitempty"`
	// IconURL is an absolute https URL.
	IconURL       *string `json:"icon_url,omitempty"`
	ParentAgentID *string `json:"parent_agent_id,omitempty"`
}

// RegisterAnswer is the answer to a registration. The key is shown this once.
type RegisterAnswer struct {
	ID     string `json:"id"`
	APIKey string `json:"api_key"`
}

// ParseRegisterRequest reads and validates a registration. Faults of the body
// are a *ValidationError with 422; then an unknown type, a bad name or icon is
// a 400 text and bad options a 400 list.
func ParseRegisterRequest(body []byte) (RegisterRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return RegisterRequest{}, err
	}
	req := RegisterRequest{
		AgentType:     f.requiredString("agent_type"),
		Name:          f.requiredString("name"),
		Description:   f.requiredString("description"),
		Options:       f.objectOr("options"),
		Overwrite:     f.boolOr("overwrite", false),
		IconURL:       f.optionalString("icon_url"),
		ParentAgentID: f.optionalString("parent_agent_id"),
	}
	if err := f.err(); err != nil {
		return RegisterRequest{}, err
	}
	if _, err := ParseKnownOptions(req.AgentType, req.Options); err != nil {
		return RegisterRequest{}, err
	}
	if err := validateIdentity(req.Name, req.IconURL); err != nil {
		return RegisterRequest{}, err
	}
	return req, nil
}

// NameTaken answers a registration of a name that exists, without overwrite.
func NameTaken(name string) *DetailError {
	return Refuse(http.StatusConflict, "Agent %q already exists. Pass \"overwrite\": true to replace it; its current key stops working.", name)
}

// ValidAgentName reports whether name matches ^[a-z0-9][a-z0-9._-]*$, without
// the trailing newline that some regular expressions let through.
func ValidAgentName(name string) bool {
	for i := range len(name) {
		c := name[i]
		alphanumeric := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !alphanumeric && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return name != ""
}

// validateIconURL keeps out what would make a browser or a server fetch from
// inside a network (CWE-918).
func validateIconURL(raw string) error {
	refuse := func(why string) error { return Refuse(http.StatusBadRequest, "Invalid icon_url: %s", why) }
	if utf8.RuneCountInString(raw) > MaxIconURLRunes {
		return refuse("it is longer than 2048 characters")
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return refuse("it must be an absolute https URL")
	}
	if u.User != nil {
		return refuse("it must not hold credentials")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil && !publicAddr(addr) {
		return refuse("its address is not public")
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".internal") || looksNumeric(host) {
		return refuse("its host is not public")
	}
	return nil
}

func publicAddr(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, reserved := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "100::/64", "2001:db8::/32",
	} {
		if netip.MustParsePrefix(reserved).Contains(addr) {
			return false
		}
	}
	return true
}

// looksNumeric reports hosts such as 2130706433, 0x7f.1 or 127.1, which some
// resolvers take for addresses.
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	numeric := strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
	return numeric && net.ParseIP(host) == nil
}

// MarshalOptions returns options for a RegisterRequest.
func MarshalOptions(options KnownOptions) (map[string]json.RawMessage, error) {
	data, err := strictjson.Marshal(options)
	if err != nil {
		return nil, err
	}
	return strictjson.DecodeObject(data)
}
