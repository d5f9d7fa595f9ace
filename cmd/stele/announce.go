package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"go.uber.org/zap"

	"stele/core"
	"stele/internal/password"
)

// firstOwner owns the registration token that the first start makes.
const firstOwner = "admin"

// recordTimeout bounds how long a token that was shown may take to get into the log; it takes a few milliseconds.
const recordTimeout = 5 * time.Second

// announce prints what somebody needs to connect. A node without a registration token gets one: the configured one, or
// else one that is made here and shown this once. The log keeps only its hash, so it goes into the log after it was
// printed and not before: a start that could not show it leaves it to the next one to make another.
func announce(ctx context.Context, out *output, node *core.Node, addr string, cfg serveConfig, logger *zap.Logger) error {
	made := ""
	switch {
	case cfg.token != "":
		if err := node.AddRegistrationToken(ctx, firstOwner, cfg.token); err != nil {
			return fmt.Errorf("add the registration token: %w", err)
		}
	case node.HadRegistrationTokens():
	case out.discards():
		logger.Warn("no registration token was made, since standard output is closed or discarded and nobody would see it: " +
			"start once with an output, or give a token with --" + flagToken)
	default:
		made = rand.Text()
	}
	fmt.Fprintf(out, "listening on http://%s\n", addr)
	if cfg.publicURL != "" {
		fmt.Fprintf(out, "public URL   %s\n", cfg.publicURL)
	}
	if cfg.metrics.url != "" {
		fmt.Fprintf(out, "metrics at   %s\n", cfg.metrics.url)
	}
	fmt.Fprintf(out, "data in      %s\n", cfg.data)
	if made != "" {
		if err := showToken(ctx, out, node, made); err != nil {
			return err
		}
	}
	if out.err != nil {
		return out.err
	}
	return announceAdmin(ctx, out, node, logger)
}

// showToken prints a registration token this once, and then lets it register agents.
func showToken(ctx context.Context, out *output, node *core.Node, made string) error {
	if _, err := fmt.Fprintf(out, "registration token (shown this once): %s\n", made); err != nil {
		return fmt.Errorf("%w: the registration token could not be shown and is lost; the next start makes another, "+
			"or give one with --%s", err, flagToken)
	}
	// Whoever saw it must be able to use it, also when the program is told to end just now.
	recorded, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := node.AddRegistrationToken(recorded, firstOwner, made); err != nil {
		return fmt.Errorf("the registration token just shown is not valid: %w", err)
	}
	return nil
}

// announceAdmin lets somebody sign in to the console of a gateway where nobody ever could: it makes an administrator and shows
// its password this once. As with a registration token, a start that nobody watches leaves it to the next.
func announceAdmin(ctx context.Context, out *output, node *core.Node, logger *zap.Logger) error {
	if node.HasAdmin() {
		return nil
	}
	if _, taken := node.UserByName(firstOwner); taken {
		logger.Warn("nobody is an administrator of the console: use stele user create --" + flagAdministrator)
		return nil
	}
	if out.discards() {
		logger.Warn("no administrator of the console was made, since standard output is closed or discarded and nobody would see " +
			"the password: start once with an output, or use stele user create --" + flagAdministrator)
		return nil
	}
	shown := rand.Text()
	hash, err := password.Make(shown)
	if err != nil {
		return fmt.Errorf("make the administrator's password: %w", err)
	}
	if _, err := fmt.Fprintf(out, "console      /gateway, sign in as %s with password (shown this once): %s\n", firstOwner, shown); err != nil {
		return fmt.Errorf("%w: the administrator's password could not be shown and is lost; the next start makes another", err)
	}
	recorded, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	_, err = node.CreateUser(core.WithActor(recorded, byOperator), core.NewUser{Name: firstOwner, PasswordHash: hash, Admin: true})
	if err != nil {
		return fmt.Errorf("the administrator just shown cannot sign in: %w", err)
	}
	return nil
}
