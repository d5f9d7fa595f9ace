package console

import (
	"net/http"
	"strings"
)

// maxLabel bounds a session's label in bytes.
const maxLabel = 120

// sign is what a browser or a system writes into its user agent, and what people call it.
type sign struct{ mark, name string }

// browserSigns and systemSigns are in the order in which they are looked for: most also write what another one does.
func browserSigns() []sign {
	return []sign{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	}
}

func systemSigns() []sign {
	return []sign{
		{"Windows", "Windows"},
		{"Android", "Android"},
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"},
		{"Linux", "Linux"},
	}
}

// labelOf says where a session is, as far as the browser tells: "Firefox on Linux", or what a program calls itself.
func labelOf(r *http.Request) string {
	agent := strings.ToValidUTF8(r.UserAgent(), "")
	browser, system := named(agent, browserSigns()), named(agent, systemSigns())
	if strings.HasPrefix(agent, "Mozilla/") && browser != "" && system != "" {
		return browser + " on " + system
	}
	if len(agent) > maxLabel {
		agent = strings.ToValidUTF8(agent[:maxLabel], "")
	}
	return agent
}

func named(agent string, signs []sign) string {
	for _, s := range signs {
		if strings.Contains(agent, s.mark) {
			return s.name
		}
	}
	return ""
}
