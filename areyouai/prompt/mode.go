package prompt

import (
	"slices"
	"strings"
	"unicode"
)

// Values of conversation_mode.
const (
	ModeNormal   = "normal_chat"
	ModeIncident = "incident_review"
)

// Incident signals. Source: contract, "bundle_hash and the prompt bundle".
var (
	incidentWords   = []string{"incident", "triage", "postmortem", "mortem", "runbook", "outage", "pager", "alert", "rca"}
	incidentPhrases = []string{"incident review", "incident-review", "post-mortem", "ops review", "root cause"}
)

// incidentPrefix begins a word such as sev1 or severity.
const incidentPrefix = "sev"

// conversationMode reads the whole topic, not the part that is shown.
func conversationMode(topic string) string {
	t := strings.Join(strings.Fields(strings.ToLower(topic)), " ")
	for _, phrase := range incidentPhrases {
		if strings.Contains(t, phrase) {
			return ModeIncident
		}
	}
	words := strings.FieldsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		if slices.Contains(incidentWords, w) || strings.HasPrefix(w, incidentPrefix) {
			return ModeIncident
		}
	}
	return ModeNormal
}
