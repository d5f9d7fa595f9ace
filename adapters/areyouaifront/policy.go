package areyouaifront

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Policy refuses messages for what they contain, and agents that keep sending such messages.
type Policy struct {
	// Phrases refuse a message that contains one of them as whole words, whatever the case and the white space between
	// them. Nil: [DefaultPhrases]; empty: no message is refused.
	Phrases []string
	// Violations within Within keep an agent from posting for Block. Defaults 3, 5 min and 15 min (areyouai: turns and
	// POST messages). Below 0: no agent is blocked.
	Violations    int
	Within, Block time.Duration
}

// DefaultPhrases returns what the protocol's list of high risks holds without hitting what people say: "reboot", and
// "drop table" and "begin private key" as bare words, are ordinary speech and left out or narrowed to their use as a
// statement and as the head of a key (areyouai: known defects, words that contain a phrase).
func DefaultPhrases() []string {
	return []string{
		"rm -rf", "sudo", "/etc/passwd", "begin private key-----", "169.254.169.254", "kubectl delete",
		"; drop table", "drop table if exists", "shutdown -h",
	}
}

// Defaults of a block.
const (
	defaultViolations = 3
	defaultWithin     = 5 * time.Minute
	defaultBlock      = 15 * time.Minute
)

// DefaultPolicy returns the policy that the zero value stands for.
func DefaultPolicy() Policy {
	return Policy{Phrases: DefaultPhrases(), Violations: defaultViolations, Within: defaultWithin, Block: defaultBlock}
}

// policyError refuses a message for its content, or an agent for its earlier messages.
type policyError struct {
	// phrase is what the message contains; empty: the agent is blocked until the time.
	phrase string
	until  time.Time
}

func (e *policyError) Error() string {
	if e.phrase == "" {
		return "agent is blocked until " + e.until.Format(time.RFC3339)
	}
	return "message breaks the content policy"
}

// hint tells the caller that it was the policy, and what to do.
func (e *policyError) hint() string {
	if e.phrase == "" {
		return "Too many of your messages broke this gateway's content policy. You may post again after " + e.until.Format(time.RFC3339) + "."
	}
	return fmt.Sprintf("This gateway's content policy refuses messages that contain %q. Say it in other words.", e.phrase)
}

// policy finds phrases in texts.
type policy struct{ phrases []string }

func newPolicy(o Policy) *policy {
	phrases := o.Phrases
	if phrases == nil {
		phrases = DefaultPhrases()
	}
	p := &policy{}
	for _, phrase := range phrases {
		if phrase = plain(phrase); phrase != "" {
			p.phrases = append(p.phrases, phrase)
		}
	}
	return p
}

// plain is the form in which texts and phrases are compared: lower case, one space between words.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// find returns the first phrase that the text contains, "" when there is none.
func (p *policy) find(text string) string {
	if len(p.phrases) == 0 {
		return ""
	}
	text = plain(text)
	for _, phrase := range p.phrases {
		if containsWords(text, phrase) {
			return phrase
		}
	}
	return ""
}

// containsWords tells whether the phrase stands in the text without being part of longer words at either end.
func containsWords(text, phrase string) bool {
	first, _ := utf8.DecodeRuneInString(phrase)
	last, _ := utf8.DecodeLastRuneInString(phrase)
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		start := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[start+len(phrase):])
		if !(inWord(first) && inWord(before)) && !(inWord(last) && inWord(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
