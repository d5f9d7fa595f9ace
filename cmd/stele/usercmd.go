package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

const (
	flagAdministrator = "admin"
	flagPasswordFile  = "password-file"
	flagLasts         = "lasts"
	flagLabel         = "label"
)

// newUserCommand makes the commands for the people who sign in to the console.
func newUserCommand(out *output) *cobra.Command {
	o := &operator{out: out}
	var req newUserRequest
	var passwordFile string
	withPassword := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&passwordFile, flagPasswordFile, "", "file whose first line is the password; without it one is made up and shown this once")
		return cmd
	}
	create := withPassword(&cobra.Command{
		Use: "create NAME", Short: "Let a person sign in to the console", Args: cobra.ExactArgs(1),
		Long: "Let a person sign in to the console. Registration tokens and agents whose owner has the same name are the person's;\n" +
			"with --admin it sees and changes everything.",
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = args[0]
			return o.makeUser(cmd.Context(), createUser(), req, passwordFile, "created")
		},
	})
	create.Flags().BoolVar(&req.Admin, flagAdministrator, false, "let the person see and change everything")
	passwd := withPassword(&cobra.Command{
		Use: "password NAME", Short: "Give a person another password, which ends all sessions and tokens", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = args[0]
			return o.makeUser(cmd.Context(), setPassword(), req, passwordFile, "changed")
		},
	})
	list := &cobra.Command{
		Use: "list", Short: "List the people who can sign in, by name", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.listUsers(cmd.Context()) },
	}
	remove := &cobra.Command{
		Use: "delete NAME", Short: "Let a person sign in no more", Args: cobra.ExactArgs(1),
		Long: "Let a person sign in no more: sessions and tokens end at once, and the person leaves every room. What it said stays,\n" +
			"and so do the agents and registration tokens of its name.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.deleteUser(cmd.Context(), args[0]) },
	}
	return o.family("user", "Say who may sign in to the console", create, list, passwd, o.userTokenCommand(), remove)
}

func (o *operator) userTokenCommand() *cobra.Command {
	var lasts time.Duration
	var which whichUser
	cmd := &cobra.Command{
		Use: "token NAME", Short: "Make a token that signs in as a person and show it this once", Args: cobra.ExactArgs(1),
		Long: "Make a token that signs in as a person: in the console in place of a name and password, and as a bearer token at the\n" +
			"paths below /gateway. It is shown this once, and ends when its time is over or it is revoked in the console.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if lasts < 0 || lasts > 0 && lasts < time.Second {
				return fmt.Errorf("--%s must be one second or more, or 0 for no end, but is %s", flagLasts, lasts)
			}
			which.Name, which.Lasts = args[0], int64(lasts/time.Second)
			return o.createUserToken(cmd.Context(), which)
		},
	}
	cmd.Flags().DurationVar(&lasts, flagLasts, 24*time.Hour, "how long it is valid; 0: until it is revoked")
	cmd.Flags().StringVar(&which.Label, flagLabel, "from the command line", "what the token is called in the console")
	return cmd
}

// makeUser runs a control that may make up a password.
func (o *operator) makeUser(ctx context.Context, c control[newUserRequest, newUserAnswer], req newUserRequest, file, done string) error {
	if file == "" {
		if err := o.mustBeSeen(); err != nil {
			return err
		}
	} else {
		given, err := firstLine(file)
		if err != nil {
			return err
		}
		req.Password = given
	}
	made, err := ask(ctx, o.data, c, req)
	if err != nil {
		return err
	}
	err = o.print(made, func() {
		fmt.Fprintf(o.out, "%s %s\n", done, made.Name)
		if made.Shown != "" {
			fmt.Fprintf(o.out, "password (shown this once): %s\n", made.Shown)
		}
	})
	if err != nil && made.Shown != "" {
		return fmt.Errorf("%w: %s was %s, but the password could not be shown and is lost; stele user password makes another",
			err, made.Name, done)
	}
	return err
}

// firstLine reads a secret from a file.
func firstLine(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", errors.New("the password file begins with an empty line")
	}
	return line, nil
}

func (o *operator) listUsers(ctx context.Context) error {
	users, err := ask(ctx, o.data, listUsers(), struct{}{})
	if err != nil {
		return err
	}
	return o.print(users, func() {
		o.table("NAME\tID\tADMIN\tSESSIONS\tTOKENS\tCREATED", func(w *tabwriter.Writer) {
			for _, u := range users {
				fmt.Fprintf(w, "%s\t%s\t%t\t%d\t%d\t%s\n", u.Name, u.ID, u.Admin, u.Sessions, u.Tokens, second(u.CreatedAt))
			}
		})
	})
}

func (o *operator) createUserToken(ctx context.Context, which whichUser) error {
	if err := o.mustBeSeen(); err != nil {
		return err
	}
	made, err := ask(ctx, o.data, createUserToken(), which)
	if err != nil {
		return err
	}
	return o.print(made, func() {
		fmt.Fprintf(o.out, "token of %s (shown this once): %s\n", made.Name, made.Token)
		if !made.Until.IsZero() {
			fmt.Fprintf(o.out, "valid until %s\n", second(made.Until))
		}
	})
}

func (o *operator) deleteUser(ctx context.Context, name string) error {
	gone, err := ask(ctx, o.data, deleteUser(), whichUser{Name: name})
	if err != nil {
		return err
	}
	return o.print(gone, func() { fmt.Fprintf(o.out, "deleted %s\n", gone.Name) })
}
