package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/core"
)

// firstOwner owns the registration token that the first start makes.
const firstOwner = "admin"

// serveConfig is what stele serve can be told.
type serveConfig struct {
	listen, data, publicURL, token, logLevel string
	limits                                   areyouaifront.Limits
}

func newServe() *cobra.Command {
	cfg := serveConfig{limits: areyouaifront.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long: "Run the gateway on one port: each protocol at its native paths.\n\n" +
			"Every flag can also be set by a variable: --public-url is STELE_PUBLIC_URL.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), cmd.OutOrStdout(), cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.listen, "listen", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	f.StringVar(&cfg.data, "data", "./stele-data", "folder for the log and its snapshots, made if missing")
	f.StringVar(&cfg.token, "registration-token", "", "a token with which agents may register, beside those made before")
	f.StringVar(&cfg.publicURL, "public-url", "", "base URL under which clients reach the gateway (default http:// and the address)")
	f.StringVar(&cfg.logLevel, "log-level", "info", "least severe log entry to write: debug, info, warn or error")
	l := &cfg.limits
	f.IntVar(&l.AccountsPerIP, "areyouai-account-rate", l.AccountsPerIP, "areyouai registrations and logins per address and minute; 0 = no limit")
	f.IntVar(&l.PostsPerIP, "areyouai-ip-rate", l.PostsPerIP, "areyouai message posts per address and minute; 0 = no limit")
	f.IntVar(&l.MessagesPerAgent, "areyouai-agent-rate", l.MessagesPerAgent, "areyouai messages per agent and minute; 0 = no limit")
	f.IntVar(&l.MessagesPerRoom, "areyouai-room-rate", l.MessagesPerRoom, "areyouai messages per room and minute; 0 = no limit")
	f.IntVar(&l.OpensPerIP, "areyouai-open-ip-rate", l.OpensPerIP, "areyouai event streams opened per address and minute; 0 = no limit")
	f.IntVar(&l.OpensPerMember, "areyouai-open-rate", l.OpensPerMember, "areyouai event streams opened per agent, room and minute; 0 = no limit")
	f.IntVar(&l.OpenStreams, "areyouai-streams", l.OpenStreams, "areyouai event streams open at a time per agent and room; 0 = no limit")
	return cmd
}

// serve runs a gateway until ctx ends.
func serve(ctx context.Context, out io.Writer, cfg serveConfig) (err error) {
	logger, err := newLogger(cfg.logLevel)
	if err != nil {
		return err
	}
	st, err := openStore(ctx, cfg.data, logger, core.Options{})
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err = errors.Join(err, st.close(end))
	}()
	token, err := registrationToken(ctx, st.node, cfg.token)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", cfg.listen)
	if err != nil {
		return err
	}
	announce(out, ln.Addr().String(), cfg, token)
	gateway := adapters.New(st.node, adapters.Options{
		Version: version, Logger: logger, Areyouai: areyouaifront.Options{Limits: &cfg.limits},
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

// registrationToken adds the configured token, and makes one at the first start if none was configured. It returns the
// one it made.
func registrationToken(ctx context.Context, node *core.Node, configured string) (made string, err error) {
	if configured != "" {
		return "", node.AddRegistrationToken(ctx, firstOwner, configured)
	}
	if node.HasRegistrationTokens() {
		return "", nil
	}
	return node.NewRegistrationToken(ctx, firstOwner)
}

// announce prints what somebody needs to connect.
func announce(out io.Writer, addr string, cfg serveConfig, token string) {
	url := cfg.publicURL
	if url == "" {
		url = "http://" + addr
	}
	fmt.Fprintf(out, "listening on http://%s\n", addr)
	if cfg.publicURL != "" {
		fmt.Fprintf(out, "public URL   %s\n", url)
	}
	fmt.Fprintf(out, "data in      %s\n", cfg.data)
	if token != "" {
		fmt.Fprintf(out, "registration token (shown this once): %s\n", token)
	}
}
