package console

import (
	"errors"
	"fmt"

	"stele/core"
)

// problem is something that is not as it should be, in words.
type problem struct {
	// Grave problems keep people from working.
	Grave bool
	Text  string
	// Agent is whom it is about, if it is about one, with Name what it is called.
	Agent, Name string
}

// farBehind is from how many events on a reader is told to be far behind.
const farBehind = 1000

// maxBehind bounds how many readers are named.
const maxBehind = 10

// healthOf says what is wrong. What stops everybody is for all to see, and otherwise each sees what is about its own agents;
// how the gateway does is an administrator's business.
func (c *Console) healthOf(v *visit) ([]problem, error) {
	s := c.node.Standing()
	out := c.stopped(s)
	if v.user.Admin {
		out = append(out, c.leftovers(s)...)
	}
	late, err := c.node.Laggards(v.ctx(), farBehind)
	if err != nil {
		return nil, err
	}
	named := 0
	for _, r := range late {
		a, known := c.node.Agent(r.Agent)
		if !v.sees(a.Owner) {
			continue
		}
		if named++; named > maxBehind {
			out = append(out, problem{Text: "More readers are as far behind."})
			break
		}
		p := problem{Text: fmt.Sprintf("is %d events behind (%s, %s).", r.Behind, r.Door, r.Name)}
		if p.Name = "Somebody who only looks on"; known {
			p.Agent, p.Name = a.ID, a.Handle
		}
		out = append(out, p)
	}
	return out, nil
}

// stopped says what keeps everybody from working.
func (c *Console) stopped(s core.Standing) (out []problem) {
	grave := func(format string, args ...any) {
		out = append(out, problem{Grave: true, Text: fmt.Sprintf(format, args...)})
	}
	if s.Stopped != nil {
		grave("This node has stopped. Its log says why.")
	}
	switch {
	case errors.Is(s.Refusing, core.ErrFull):
		grave("The disk is full: what was said can be read, and nothing can be said.")
	case errors.Is(s.Refusing, core.ErrReadOnly):
		grave("The log takes no changes: what was said can be read, and nothing can be said.")
	case s.Refusing != nil:
		grave("The newest change could not be written to the log.")
	}
	if s.Draining || c.life.Err() != nil {
		grave("The gateway is shutting down.")
	}
	return out
}

// leftovers says what an operator should look after.
func (c *Console) leftovers(s core.Standing) (out []problem) {
	for _, l := range []struct {
		count     int
		one, many string
	}{
		{
			c.node.Traffic().GivenUp,
			"callback of a webhook was given up in the last hour", "callbacks of webhooks were given up in the last hour",
		},
		{
			s.Unerased, "purged room may have traces of its content left; the node goes on destroying them",
			"purged rooms may have traces of their content left; the node goes on destroying them",
		},
		{
			s.OverRetention, "closed room has kept its content for longer than it may",
			"closed rooms have kept their content for longer than they may",
		},
		{
			int(s.Conflicts), "time another node wrote first, and what was asked for here was decided again",
			"times another node wrote first, and what was asked for here was decided again",
		},
	} {
		if l.count > 0 {
			out = append(out, problem{Text: howMany(l.count, l.one, l.many) + "."})
		}
	}
	return out
}
