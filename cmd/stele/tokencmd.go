package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/core"
)

// newTokenCommand makes the commands for registration tokens.
func newTokenCommand(out *output) *cobra.Command {
	o := &operator{out: out}
	create := o.owned(&cobra.Command{
		Use: "create", Short: "Make a registration token for an owner and show it this once", Args: cobra.NoArgs,
		Long: "Make a token with which agents register, any number of them, until it is revoked. They belong to its owner. The\n" +
			"token is shown this once; the log keeps only its hash.",
		RunE: func(cmd *cobra.Command, _ []string) error { return o.createToken(cmd.Context()) },
	}, "who the token and the agents made with it belong to; needed")
	list := o.owned(&cobra.Command{
		Use: "list", Short: "List the registration tokens, oldest first; what they are is not known", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.listTokens(cmd.Context()) },
	}, "list only those of this owner")
	var all bool
	revoke := o.owned(&cobra.Command{
		Use: "revoke [ID…]", Short: "Make registration tokens invalid; agents made with them live on",
		Long: "Make registration tokens invalid at once: those with the ids given (see list), or with --all every one of an\n" +
			"owner. All are revoked or none. Agents made with them live on. A token that serve is given with\n" +
			"--registration-token is made again at its next start.",
		RunE: func(cmd *cobra.Command, ids []string) error { return o.revokeTokens(cmd.Context(), ids, all) },
	}, "whose they must be")
	revoke.Flags().BoolVar(&all, flagAll, false, "revoke all of the owner")
	return o.family("token", "Make, list and revoke registration tokens", create, list, revoke)
}

func (o *operator) createToken(ctx context.Context) error {
	if o.Owner == "" {
		return errors.New("--" + flagOwner + " must say whom the token is for")
	}
	if err := o.mustBeSeen(); err != nil {
		return err
	}
	made, err := ask(ctx, o.data, createToken(), o.ofOwner)
	if err != nil {
		return err
	}
	err = o.print(made, func() {
		fmt.Fprintf(o.out, "registration token of %s (shown this once): %s\nid %s\n", made.Owner, made.Token, made.ID)
	})
	if err != nil {
		// A token that nobody saw must not open anything.
		_, rerr := ask(context.WithoutCancel(ctx), o.data, revokeTokens(), whichTokens{IDs: []string{made.ID}})
		return errors.Join(fmt.Errorf("%w: the token %s could not be shown and was revoked", err, made.ID), rerr)
	}
	return nil
}

func (o *operator) listTokens(ctx context.Context) error {
	tokens, err := ask(ctx, o.data, listTokens(), o.ofOwner)
	if err != nil {
		return err
	}
	return o.print(tokens, func() {
		o.table("ID\tOWNER\tCREATED", func(w *tabwriter.Writer) {
			for _, t := range tokens {
				fmt.Fprintf(w, "%s\t%s\t%s\n", t.ID, t.Owner, second(t.CreatedAt))
			}
		})
	})
}

func (o *operator) revokeTokens(ctx context.Context, ids []string, all bool) error {
	switch {
	case all && len(ids) > 0:
		return errors.New("give ids or --" + flagAll + ", not both")
	case all && o.Owner == "":
		return errors.New("--" + flagAll + " needs --" + flagOwner)
	case !all && len(ids) == 0:
		return errors.New("give the ids of the tokens to revoke, or --" + flagAll + " with --" + flagOwner)
	}
	revoked, err := ask(ctx, o.data, revokeTokens(), whichTokens{ofOwner: o.ofOwner, IDs: ids, All: all})
	if err != nil {
		return err
	}
	return o.print(revoked, func() { o.say(revoked) })
}

func (o *operator) say(revoked []core.TokenInfo) {
	for _, t := range revoked {
		fmt.Fprintf(o.out, "revoked %s of %s\n", t.ID, t.Owner)
	}
}
