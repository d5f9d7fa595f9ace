package main

import (
	"errors"

	"github.com/spf13/pflag"

	"stele/adapters/webhook"
	"stele/internal/seal"
)

// The flags about webhooks.
const (
	flagHookKeys     = "webhook-keys"
	flagHookLoopback = "webhook-loopback"
)

// webhookConfig is what stele serve can be told about webhooks.
type webhookConfig struct {
	material string
	loopback []string
	// keys and sender are made by the check.
	keys   *seal.Keyset
	sender *webhook.Sender
}

func (c *webhookConfig) define(f *pflag.FlagSet) {
	f.StringVar(&c.material, flagHookKeys, "", "keys that seal the secrets of webhooks, as name=material,…: the first seals, all open; without one no webhook is taken")
	f.StringSliceVar(&c.loopback, flagHookLoopback, nil, "host:port of receivers on this machine that webhooks may reach, with commas between them; all = any port")
}

// allLoopback lets webhooks reach any port of this machine.
const allLoopback = "all"

// check finds what is wrong with the keys and the receivers. No value of a secret is in the errors.
func (c *webhookConfig) check(given func(flag string) bool) (problems []error) {
	var err error
	switch c.keys, err = seal.ParseKeyset(c.material); {
	case err != nil:
		problems = append(problems, errors.Join(errors.New("--"+flagHookKeys+" cannot be used"), err))
	case !c.keys.Configured() && given(flagHookKeys):
		problems = append(problems, errors.New("--"+flagHookKeys+" must not be empty; leave it out to take no webhooks"))
	}
	opts := webhook.Options{LoopbackTargets: c.loopback}
	if len(c.loopback) == 1 && c.loopback[0] == allLoopback {
		opts = webhook.Options{AllowLoopback: true}
	}
	if c.sender, err = webhook.NewSender(opts); err != nil {
		problems = append(problems, errors.Join(errors.New("--"+flagHookLoopback+" cannot be used"), err))
	}
	return problems
}
