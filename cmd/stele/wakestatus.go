package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"stele/areyouai"
	"stele/internal/wake"
)

func newWakeStatus(out *output, f *wakeFlags) *cobra.Command {
	o := &operator{out: out}
	cmd := &cobra.Command{
		Use: "status", Short: "Show connection, queue and room tokens from the sidecar's files", Args: cobra.NoArgs,
		Long: "Show connection, queue and room tokens. It reads the files of the sidecar's folder alone, asks no server, and shows no\n" +
			"secret.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := wake.ReadStatus(f.baseDir)
			if err != nil {
				return wakeExit(cmd, err)
			}
			return o.print(st, func() { o.wakeStatus(st) })
		},
	}
	cmd.Flags().BoolVar(&o.json, flagJSON, false, "print JSON, for scripts")
	return cmd
}

func (o *operator) wakeStatus(st wake.Status) {
	state := "not running"
	if st.Running {
		state = "running"
	}
	o.table("FOLDER\t"+st.BaseDir, func(w *tabwriter.Writer) {
		fmt.Fprintf(w, "sidecar\t%s\n", state)
		fmt.Fprintf(w, "server\t%s\n", orDash(st.APIBaseURL))
		fmt.Fprintf(w, "hook\t%s\n", orDash(st.Hook))
		fmt.Fprintf(w, "agent\t%s\n", orDash(oneLine(st.AgentID)))
		fmt.Fprintf(w, "API key kept\t%s\n", yesNo(st.Session.APIKey))
		fmt.Fprintf(w, "session\t%s\n", yesNo(st.Session.SessionToken))
		fmt.Fprintf(w, "stream\t%s\n", orDash(string(st.Stream.Status)))
		if st.Stream.LastError != "" {
			fmt.Fprintf(w, "stream error\t%s\n", oneLine(st.Stream.LastError))
		}
		fmt.Fprintf(w, "last connected\t%s\n", whenever(st.Stream.LastConnectedAt))
		fmt.Fprintf(w, "last ack\t%s\t%s\n", orDash(oneLine(st.Stream.LastAcknowledgedDeliveryID)), whenever(st.Stream.LastAcknowledgedAt))
		fmt.Fprintf(w, "turns done\t%d\n", st.Done)
	})
	if len(st.Queue) > 0 {
		fmt.Fprintln(o.out)
		o.table("WAKE\tTURN\tSTAGE\tROUND\tATTEMPTS\tDUE\tLAST ERROR", func(w *tabwriter.Writer) {
			for _, q := range st.Queue {
				fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\t%s\t%s\n", oneLine(q.RoomID), q.Turn, q.Stage, q.Round, q.Attempts,
					second(q.DueAt.Time), orDash(oneLine(q.LastError)))
			}
		})
	}
	if len(st.Tokens) > 0 {
		fmt.Fprintln(o.out)
		o.table("ROOM TOKEN\tEXPIRES", func(w *tabwriter.Writer) {
			for _, t := range st.Tokens {
				fmt.Fprintf(w, "%s\t%s\n", oneLine(t.RoomID), second(t.ExpiresAt.Time))
			}
		})
	}
	for _, name := range st.Damaged {
		fmt.Fprintf(o.out, "damaged: %s\n", name)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func whenever(t *areyouai.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// oneLine keeps a text that a server may have chosen within its row of a table, and its control characters away from the
// terminal (CWE-150).
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func newWakeDoctor(out *output, f *wakeFlags) *cobra.Command {
	o := &operator{out: out}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check settings, key, server and hook", Args: cobra.NoArgs,
		Long: "Check what a sidecar needs: settings, files that are private, an API key, the server's health, the login, the server's\n" +
			"capabilities, the agent stream, the hook. Nobody is woken and nothing is written; the login makes a new session on the\n" +
			"server. A check is skipped when what it needs has failed. The exit code is that of the first failed check: 2 settings\n" +
			"or files, 3 API key, 4 server, 5 hook.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := f.options(cmd)
			report := wake.Examine(cmd.Context(), opts, err)
			err = o.print(report, func() {
				o.table("CHECK\tRESULT\tDETAIL", func(w *tabwriter.Writer) {
					for _, c := range report.Checks {
						fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Result, orDash(oneLine(c.Detail)))
					}
				})
			})
			if code := report.ExitCode(); err == nil && code != 0 {
				return &exitError{code: code}
			}
			return err
		},
	}
	f.server(cmd.Flags())
	f.hook(cmd.Flags())
	f.key(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, flagJSON, false, "print JSON, for scripts")
	return cmd
}
