package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"stele/adapters"
	"stele/core"
)

// demoTimeout bounds the whole conversation; it takes about a second.
const demoTimeout = 2 * time.Minute

type demoConfig struct {
	data, listen, record string
	keep                 bool
}

func newDemo(out *output) *cobra.Command {
	var cfg demoConfig
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Start a gateway, let three clients of three protocols talk in it, and show what went over the wire",
		Long: "Start a gateway on a loopback port with the embedded log in a temporary folder, connect one client of each\n" +
			"protocol over real sockets, and let them talk: all three in an open room, so that something goes from each\n" +
			"protocol into each other one; then one of them changes its protocol while the others talk on; then two speak in\n" +
			"turns while the third watches. Every message is printed once as a person reads it and then in the scripts of\n" +
			"those who sent and received it, as the bytes went over the wire. The last line counts messages, deliveries,\n" +
			"losses and repeats; the exit code is not zero when one of the last two is not.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return demo(cmd.Context(), out, cfg) },
	}
	f := cmd.Flags()
	f.StringVar(&cfg.data, "data", "", "folder for the log (default a temporary one, removed at the end)")
	f.StringVar(&cfg.listen, "listen", "127.0.0.1:0", "address of the gateway; port 0 picks a free one")
	f.BoolVar(&cfg.keep, "keep", false, "leave the gateway serving after the conversation, until interrupted")
	f.StringVar(&cfg.record, "record", "", "write the run to this file too, as a moving picture (SVG)")
	return cmd
}

// demo runs a gateway, plays the conversation against it and reports.
func demo(ctx context.Context, out *output, cfg demoConfig) (err error) {
	if err := checkAddress(cfg.listen); err != nil {
		return err
	}
	if cfg.data == "" {
		if cfg.data, err = os.MkdirTemp("", "stele-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(cfg.data)) }()
	}
	g, err := startGateway(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.stop()) }()
	var rec recording
	tally, err := play(ctx, g, both(printTo(out), rec.add))
	if err != nil {
		return err
	}
	if cfg.record != "" {
		if err := os.WriteFile(cfg.record, rec.svg(), 0o644); err != nil {
			return err
		}
	}
	if cfg.keep && out.err == nil {
		fmt.Fprintf(out, "The gateway goes on at %s; registration token: %s. End it with Ctrl-C.\n", g.url, g.token)
		<-ctx.Done()
	}
	return errors.Join(tally.verdict(), out.err)
}

// gateway is the demo's own, in this process, behind a real socket.
type gateway struct {
	node       *core.Node
	url, token string
	stop       func() error
}

func startGateway(ctx context.Context, cfg demoConfig) (*gateway, error) {
	st, err := openStore(ctx, cfg.data, zap.NewNop(), core.Options{}, 0)
	if err != nil {
		return nil, err
	}
	closeStore := func() error {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		return st.close(end)
	}
	ln, err := net.Listen("tcp", cfg.listen)
	if err != nil {
		return nil, errors.Join(err, closeStore())
	}
	token, err := st.node.NewRegistrationToken(ctx, firstOwner)
	if err != nil {
		return nil, errors.Join(err, ln.Close(), closeStore())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- adapters.New(st.node, adapters.Options{Version: version}).Serve(serving, ln) }()
	return &gateway{node: st.node, url: "http://" + ln.Addr().String(), token: token, stop: func() error {
		stop()
		return errors.Join(<-done, closeStore())
	}}, nil
}

// play connects the cast, plays the scenes and counts.
func play(ctx context.Context, g *gateway, tell show) (tally, error) {
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	tell(step{kind: stepStart, text: "A gateway listens on " + g.url + "."})
	c, err := assemble(ctx, g, tell)
	if err != nil {
		return tally{}, err
	}
	defer c.leave()
	return c.perform(ctx, harbourScene, turnsScene)
}

// perform plays scenes and counts, also when one of them breaks off: a message that is lost is one that a scene waits for. A
// run that somebody interrupts has nothing to count.
func (c *cast) perform(ctx context.Context, scenes ...func(context.Context, *cast) error) (t tally, err error) {
	for _, scene := range scenes {
		if err = scene(ctx, c); err != nil {
			break
		}
	}
	if errors.Is(err, context.Canceled) {
		return tally{}, err
	}
	t = c.book.count()
	c.show(step{kind: stepTally, text: fmt.Sprintf("%d messages, %d deliveries, %d losses, %d repeats",
		t.messages, t.deliveries, t.losses, t.repeats)})
	return t, err
}
