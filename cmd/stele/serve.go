package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/adapters/console"
	"stele/core"
)

// What each part may take of the five seconds within which the program ends once it is told to. They end one after the other,
// and each may have somebody on its connections who never finishes, so the shares are what all of them take together.
const (
	clientsShare   = 3 * time.Second
	metricsShare   = 200 * time.Millisecond
	operatorsShare = 500 * time.Millisecond
	storeShare     = time.Second
)

func newServe(out *output) *cobra.Command {
	cfg := serveConfig{limits: areyouaifront.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long: "Run the gateway on one port: each protocol at its native paths.\n\n" +
			"While it runs, stele token, agent, user, export, import and tail reach it through the socket " + socketName + " in its\n" +
			"data folder, which is for its user alone.\n\n" +
			"Every flag can also be set by a variable: --public-url is STELE_PUBLIC_URL.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return serve(cmd.Context(), out, cfg)
		},
	}
	cfg.define(cmd.Flags())
	return cmd
}

// serve runs a gateway until ctx ends.
func serve(ctx context.Context, out *output, cfg serveConfig) (err error) {
	logger, err := newLogger(cfg.logLevel)
	if err != nil {
		return err
	}
	// Go's HTTP transport writes what peers send unasked to the standard logger.
	defer zap.RedirectStdLog(logger)()
	st, err := openAlone(ctx, cfg, logger)
	if err != nil {
		return err
	}
	operators := startControl(ctx, cfg.data, st.node, logger)
	var metrics *metricsServer
	defer func() {
		for _, part := range []struct {
			close func(context.Context) error
			share time.Duration
		}{{metrics.close, metricsShare}, {operators.close, operatorsShare}, {st.close, storeShare}} {
			limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), part.share)
			err = errors.Join(err, part.close(limit))
			cancel()
		}
	}()
	ln, err := net.Listen("tcp", cfg.listen)
	if err != nil {
		return err
	}
	if metrics, err = startMetrics(ctx, &cfg.metrics, logger); err != nil {
		return errors.Join(err, ln.Close())
	}
	if err := announce(ctx, out, st.node, ln.Addr().String(), cfg, logger); err != nil {
		return errors.Join(err, ln.Close())
	}
	gateway := adapters.New(st.node, adapters.Options{
		Version: version, Logger: logger, Areyouai: cfg.areyouaiOptions(), Edge: cfg.edge.options(),
		Console:       console.Options{PublicURL: cfg.publicURL},
		Proxies:       cfg.proxies.trusted,
		HeaderTimeout: cfg.timeouts.header, BodyTimeout: cfg.timeouts.body, ReplyTimeout: cfg.timeouts.reply,
		IdleTimeout: cfg.timeouts.idle, DrainTimeout: clientsShare,
	})
	serving, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		// A node that stopped by itself answers from stale state: better not at all.
		select {
		case <-st.node.Done():
			stop()
		case <-serving.Done():
		}
	}()
	if err := gateway.Serve(serving, ln); err != nil {
		return err
	}
	logger.Info("stopped", zap.String("listen", ln.Addr().String()))
	return st.node.Err()
}

// openAlone opens the data folder of a gateway. One that another gateway works on is refused at once; one that only a
// command for tokens or agents has open is waited for.
func openAlone(ctx context.Context, cfg serveConfig, logger *zap.Logger) (st *store, err error) {
	opts := core.Options{
		RetainEvents: cfg.retainEvents, RetainAge: cfg.retainAge, Purge: cfg.purge.policy(), Lives: cfg.areyouai.sizes.lives,
		Listings: cfg.areyouai.sizes.listings(),
	}
	err = patiently(ctx, func() (again bool, err error) {
		if st, err = openStore(ctx, cfg.data, logger, opts, cfg.maxAttachment); !errors.Is(err, core.ErrLocked) {
			return false, err
		}
		conn, derr := dialGateway(ctx, cfg.data)
		if conn == nil {
			return derr == nil, err
		}
		return false, errors.Join(err, conn.Close())
	})
	return st, err
}
