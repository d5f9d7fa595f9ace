package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/adapters/scripts"
)

// Flags of stele tail.
const (
	flagURL     = "url"
	flagBearer  = "token"
	flagSince   = "since"
	flagAddress = "agent"
)

const (
	defaultURL = "http://127.0.0.1:8080"
	// asAll shows the three scripts of the protocols beside each other.
	asAll = "all"
)

const tailLong = `Follow a room live in one script, or in all three beside each other.

With --as switch, areyouai, edge or core it writes what a client of that protocol gets, byte for byte, so that it can be
piped on; on a terminal, controls show as \u{…}. With --as all it writes each event in the three protocols' scripts, in
columns on a terminal that is wide enough and below each other elsewhere. A connection that breaks is made again, and
nothing is lost or repeated.

It begins with what happens next; --since 0 begins with the beginning of the room, --since N after its event N.

--token takes the API key, session token or room token of a member, or the room's code or a viewer's token; better than on
the command line, where others of this machine see it, give it in the variable STELE_TOKEN. Without one, the gateway that
runs on the data folder is asked for leave through its control socket, and the room may be given by its name.`

// tailConfig is what stele tail is told.
type tailConfig struct {
	room, as, url, token, data, agent string
	since                             int64
}

func newTail(out *output) *cobra.Command {
	var c tailConfig
	cmd := &cobra.Command{
		Use: "tail ROOM", Short: "Follow a room live in the script of any protocol", Long: tailLong, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.room = args[0]
			return c.run(cmd.Context(), out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.as, flagAs, asAll, "script: switch, areyouai, edge, core, or all for the three protocols")
	f.StringVar(&c.url, flagURL, defaultURL, "where the gateway is")
	f.StringVar(&c.token, flagBearer, "", "what opens the room; without it the data folder's gateway is asked")
	f.StringVar(&c.data, flagData, defaultData, "data folder of a gateway on this machine, for use without a token")
	f.StringVar(&c.agent, flagAddress, "", "agent whose messages have the role of the assistant in the edge script, by name or id")
	f.Int64Var(&c.since, flagSince, -1, "number of the event to begin after; -1 begins with what happens next")
	return cmd
}

// formats are the scripts that --as means.
func (c *tailConfig) formats() ([]scripts.Script, error) {
	if c.as == asAll {
		return []scripts.Script{scripts.Switch, scripts.Areyouai, scripts.Edge}, nil
	}
	s, err := scripts.Parse(c.as)
	if err != nil {
		return nil, fmt.Errorf("--%s must be %q or one of %v, but is %q", flagAs, asAll, scripts.All(), c.as)
	}
	return []scripts.Script{s}, nil
}

func (c *tailConfig) check() error {
	u, err := url.Parse(c.url)
	if err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Host == "" {
		return fmt.Errorf("--%s must be the http or https URL of a gateway", flagURL)
	}
	if strings.ContainsAny(c.token, "\r\n") {
		return errors.New("--" + flagBearer + " contains a line break")
	}
	if c.since < -1 {
		return fmt.Errorf("--%s must be the number of an event, 0 or -1, but is %d", flagSince, c.since)
	}
	return nil
}

func (c *tailConfig) run(ctx context.Context, out *output) (err error) {
	formats, err := c.formats()
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return err
	}
	t := &tailing{
		url: strings.TrimRight(c.url, "/"), room: c.room, token: c.token, agent: c.agent, formats: formats,
		note: newOutput(os.Stderr),
	}
	if c.token == "" {
		seat, err := ask(ctx, c.data, watchRoom(), whichRoom{Room: c.room})
		if err != nil {
			return fmt.Errorf("%w (or give --%s)", err, flagBearer)
		}
		t.room, t.token = seat.Room, seat.Token
		defer func() {
			// A gateway that is gone by now forgets the viewer by itself.
			_, _ = ask(context.WithoutCancel(ctx), c.data, unwatchRoom(), seat)
		}()
	}
	t.show = newShower(out, formats, c.as == asAll).item
	err = t.run(ctx, c.since)
	if ctx.Err() != nil && out.err == nil {
		return nil
	}
	return errors.Join(err, out.err)
}
