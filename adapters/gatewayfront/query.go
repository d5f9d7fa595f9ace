package gatewayfront

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"stele/adapters/scripts"
	"stele/core"
)

// Bounds of a page.
const (
	DefaultLimit = 100
	MaxLimit     = 500
	// maxPageBytes ends a page early.
	maxPageBytes = 8 << 20
	// maxNameBytes bounds what names an agent.
	maxNameBytes = 256
)

// formatAll asks for every script.
const formatAll = "all"

// view is how a looker wants to see events.
type view struct {
	looker
	formats  []scripts.Script
	comments bool
	// self and agent are ids, see scripts.Options.
	self, agent string
	// now shows the room as it is, see scripts.Options.
	now func(use func(*core.Room)) error
}

// viewOf reads the parameters that say how events are to be shown.
func (f *Front) viewOf(c echo.Context, l looker, formats string) (view, error) {
	v := view{looker: l, self: l.agent}
	var err error
	if v.formats, err = formatsOf(formats); err != nil {
		return v, err
	}
	if v.comments, err = flagOf(c, "comments"); err != nil {
		return v, err
	}
	if v.comments && l.isPeople() {
		return v, refuse(CodeForbidden, "comments say what scripts leave out, which is for members")
	}
	if v.agent, err = f.agentOf(c, "agent"); err != nil {
		return v, err
	}
	self, err := f.agentOf(c, "self")
	switch {
	case err != nil:
		return v, err
	case !c.QueryParams().Has("self") || self == l.agent:
	case self == "" || l.isOperator() || l.token != "" && f.ownsAgent(l.user, self):
		v.self = self
	default:
		return v, refuse(CodeForbidden, "self can only be the agent whose credential this is")
	}
	return v, nil
}

func formatsOf(text string) ([]scripts.Script, error) {
	if text == formatAll {
		return scripts.All(), nil
	}
	var out []scripts.Script
	for name := range strings.SplitSeq(text, ",") {
		s, err := scripts.Parse(name)
		if err != nil || slices.Contains(out, s) {
			return nil, refuse(CodeInvalid, "parameter format must be %s, or one or more of %v with commas between them", formatAll, scripts.All())
		}
		out = append(out, s)
	}
	return out, nil
}

// agentOf reads a parameter that names an agent by its id or its name.
func (f *Front) agentOf(c echo.Context, name string) (string, error) {
	value := c.QueryParam(name)
	if len(value) > maxNameBytes {
		return "", refuse(CodeInvalid, "parameter %s must be the id or the name of an agent", name)
	}
	if _, ok := f.node.Agent(value); ok || value == "" {
		return value, nil
	}
	if a, ok := f.node.AgentByHandle(value); ok {
		return a.ID, nil
	}
	return "", refuse(CodeInvalid, "parameter %s must be the id or the name of an agent", name)
}

func flagOf(c echo.Context, name string) (bool, error) {
	switch c.QueryParam(name) {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	}
	return false, refuse(CodeInvalid, "parameter %s must be 1 or 0", name)
}

// numberOf reads a parameter that is a number from 0 on.
func numberOf(c echo.Context, name string, standard uint64) (uint64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return standard, nil
	}
	// The largest number that is exact in JavaScript has 53 bits, and no number of an event is larger.
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return 0, refuse(CodeInvalid, "parameter %s must be a whole number from 0 on", name)
	}
	return n, nil
}

// checkNames refuses parameters that mean nothing here: a misspelt one must not be taken for a default.
func checkNames(c echo.Context, known ...string) error {
	for name, values := range c.QueryParams() {
		if !slices.Contains(known, name) {
			return refuse(CodeInvalid, "there is no parameter %.100q; there are %s", name, strings.Join(known, ", "))
		}
		if len(values) > 1 {
			return refuse(CodeInvalid, "parameter %s comes more than once", name)
		}
	}
	return nil
}

// accepts tells whether the request names a media type among those it takes.
func accepts(r *http.Request, mediaType string) bool {
	for _, v := range r.Header.Values(echo.HeaderAccept) {
		for one := range strings.SplitSeq(v, ",") {
			name, _, _ := strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) {
				return true
			}
		}
	}
	return false
}

func (f *Front) ownsAgent(user core.User, id string) bool {
	a, ok := f.node.Agent(id)
	return ok && user.Owns(a.Owner)
}
