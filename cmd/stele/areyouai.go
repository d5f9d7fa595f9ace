package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"stele/adapters/areyouaifront"
	"stele/areyouai/prompt"
)

// The flags of the areyouai door that are checked, beside its limits.
const (
	flagLayers  = "prompt-layers"
	flagAdmin   = "areyouai-admin-token"
	flagOrigins = "areyouai-origins"
)

// areyouaiConfig is what stele serve can be told about the areyouai door, beside its limits.
type areyouaiConfig struct {
	layersDir, adminToken string
	origins               []string
	// layers are what the folder holds, read by the check.
	layers *prompt.Layers
	policy contentPolicy
	sizes  sizesConfig
}

func (c *areyouaiConfig) define(f *pflag.FlagSet) {
	f.StringVar(&c.layersDir, flagLayers, "", "folder with areyouai prompt layers, such as soul.md, in place of those in the program")
	f.StringVar(&c.adminToken, flagAdmin, "", "the token that opens the areyouai pages for operators; they are closed without one")
	f.StringSliceVar(&c.origins, flagOrigins, areyouaifront.DefaultOrigins(), "web origins whose pages may call the areyouai routes, with commas between them; none = no page")
	c.policy.define(f)
	c.sizes.define(f)
}

// noneOfThem is the value of a flag that takes away what the program holds.
const noneOfThem = "none"

// checkAreyouai finds all that is wrong with the configuration of the door, and reads what it names.
func (c *serveConfig) checkAreyouai(given func(flag string) bool) (problems []error) {
	problem := func(flag, format string, args ...any) {
		problems = append(problems, fmt.Errorf("--"+flag+" "+format, args...))
	}
	a := &c.areyouai
	switch {
	case a.adminToken == "" && given(flagAdmin):
		problem(flagAdmin, "must not be empty; leave it out to keep the pages closed")
	case strings.ContainsFunc(a.adminToken, func(r rune) bool { return r <= ' ' || r > '~' }):
		problem(flagAdmin, "must be visible ASCII characters, since it is sent in a header")
	}
	if a.layersDir == "" && given(flagLayers) {
		problem(flagLayers, "must not be empty; leave it out to use the layers in the program")
	}
	if a.layersDir != "" {
		var err error
		if a.layers, err = prompt.LoadLayersDir(a.layersDir); err != nil {
			problem(flagLayers, "cannot be used: %w", err)
		}
	}
	a.policy.check(given, problem)
	a.sizes.check(given, problem)
	if given(flagHumanCode) && !given(flagGrace) {
		// A transcript stays as long as its code opens it.
		c.purge.grace = a.sizes.lives.HumanCode
	}
	if len(a.origins) == 1 && a.origins[0] == noneOfThem {
		return problems
	}
	for _, origin := range a.origins {
		if err := checkOrigin(origin); err != nil {
			problem(flagOrigins, "must be origins such as https://example.com, but one is %q: %w", origin, err)
		}
	}
	return problems
}

// checkOrigin knows what a browser sends as an origin: scheme, host and a port that is not the scheme's own.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	switch {
	case err != nil:
		return errors.New("it is no URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("it does not begin with http:// or https:// and a host")
	case origin != u.Scheme+"://"+u.Host:
		return errors.New("it has more than scheme, host and port")
	}
	return nil
}

// areyouaiOptions is what the checked configuration says about the areyouai front.
func (c *serveConfig) areyouaiOptions() areyouaifront.Options {
	o := areyouaifront.Options{
		Limits: &c.limits, PublicURL: c.publicURL, AdminToken: c.areyouai.adminToken, Layers: c.areyouai.layers,
		Origins: c.areyouai.origins, Keys: c.webhooks.keys, Sender: c.webhooks.sender,
		Policy: c.areyouai.policy.policy(), Sizes: c.areyouai.sizes.areyouai(), Metrics: c.metrics.registerer(),
	}
	if len(o.Origins) == 1 && o.Origins[0] == noneOfThem {
		o.Origins = []string{}
	}
	return o
}
