package chaos

import "fmt"

// command is what the records say of one mark.
type command struct {
	mark, room, client, key string
	parts                   int
	// sent and acked are the places of the first record of either kind; acked is 0 when there is none.
	sent, acked      int
	unknown, refused bool
	why, answer      string
	turn             uint64
}

// commands gathers the records of all commands, in the order in which they were first sent.
func (c *checker) commands() []*command {
	byMark := map[string]*command{}
	var all []*command
	for _, r := range c.history.Records {
		if r.Kind != Sent && byMark[r.Mark] == nil {
			continue
		}
		switch cmd := byMark[r.Mark]; r.Kind {
		case Sent:
			if cmd == nil {
				cmd = &command{
					mark: r.Mark, room: r.Room, client: r.Client, key: r.Key, parts: max(r.Parts, 1), sent: r.Wall,
				}
				byMark[r.Mark] = cmd
				all = append(all, cmd)
			}
		case Unknown:
			cmd.unknown = true
		case Failed:
			cmd.refused, cmd.why = true, r.Why
		case Acknowledged:
			c.acknowledge(cmd, r)
		}
	}
	return all
}

func (c *checker) acknowledge(cmd *command, r Record) {
	if cmd.acked == 0 {
		cmd.acked, cmd.turn, cmd.answer = r.Wall, r.Turn, r.Answer
		return
	}
	if r.Answer != cmd.answer || r.Turn != cmd.turn {
		c.report(Violation{Idempotent, r.Client, cmd.room, fmt.Sprintf(
			"%q was answered with %q (record %d) and later with %q (record %d)", cmd.mark, cmd.answer, cmd.acked, r.Answer, r.Wall)})
	}
}

// checkCommands compares what was sent and answered with what the log holds.
func (c *checker) checkCommands() {
	all := c.commands()
	sent := map[string]bool{}
	for _, cmd := range all {
		sent[cmd.mark] = true
		c.checkPresence(cmd)
	}
	c.checkUnsent(sent)
	c.checkTurns(all)
	c.checkOrder(all)
}

// checkPresence: Durable, Atomic and Idempotent, as far as the log shows them.
func (c *checker) checkPresence(cmd *command) {
	entries := c.byMark[cmd.mark]
	broken := func(p Promise, format string, args ...any) {
		c.report(Violation{p, cmd.client, cmd.room, fmt.Sprintf("%q (record %d) ", cmd.mark, cmd.sent) + fmt.Sprintf(format, args...)})
	}
	switch n := len(entries); {
	case n == 0 && cmd.acked > 0:
		broken(Durable, "was acknowledged (record %d) and is not in the log", cmd.acked)
	case n > 0 && n < cmd.parts:
		broken(Atomic, "is %d events and %d are in the log", cmd.parts, n)
	case n > cmd.parts && cmd.key != "":
		broken(Idempotent, "was sent with a key and makes %d events; %d are in the log", cmd.parts, n)
	case n > cmd.parts && cmd.acked > 0:
		broken(Durable, "makes %d events; %d are in the log", cmd.parts, n)
	case n > cmd.parts:
		broken(Atomic, "was never acknowledged and makes %d events; %d are in the log", cmd.parts, n)
	case n > 0 && cmd.acked == 0 && cmd.refused && cmd.key != "":
		broken(Idempotent, "was refused (%s) when its key was used again, and is in the log", cmd.why)
	case n > 0 && cmd.acked == 0 && cmd.refused && !cmd.unknown:
		broken(Atomic, "was refused (%s) and is in the log", cmd.why)
	case n > 1 && !together(entries):
		broken(Atomic, "lies in the log with other events in between, from version %d to %d", entries[0].Version, entries[n-1].Version)
	}
}

func together(entries []Entry) bool {
	for i, e := range entries[1:] {
		if e.Room != entries[i].Room || e.Version != entries[i].Version+1 {
			return false
		}
	}
	return true
}

// checkUnsent: nothing is in the log that nobody sent.
func (c *checker) checkUnsent(sent map[string]bool) {
	for _, mark := range sorted(c.byMark) {
		if e := c.byMark[mark][0]; e.Turn > 0 && !sent[mark] {
			c.report(Violation{Atomic, "", e.Room, fmt.Sprintf("%q at version %d was sent by nobody", mark, e.Version)})
		}
	}
}

// checkTurns: Exclusive.
func (c *checker) checkTurns(all []*command) {
	type place struct {
		room string
		turn uint64
	}
	owner := map[place]*command{}
	told := map[place]bool{}
	for _, cmd := range all {
		if cmd.acked == 0 || cmd.turn == 0 {
			continue
		}
		at := place{cmd.room, cmd.turn}
		if other := owner[at]; other != nil {
			told[at] = true
			c.report(Violation{Exclusive, cmd.client, cmd.room, fmt.Sprintf(
				"turn %d was given to %q (record %d) and to %q (record %d)", cmd.turn, other.mark, other.acked, cmd.mark, cmd.acked)})
			continue
		}
		owner[at] = cmd
		if in := c.byMark[cmd.mark]; len(in) > 0 && in[0].Turn != cmd.turn {
			c.report(Violation{Exclusive, cmd.client, cmd.room, fmt.Sprintf(
				"%q was acknowledged as turn %d (record %d) and is turn %d in the log", cmd.mark, cmd.turn, cmd.acked, in[0].Turn)})
		}
	}
	for _, room := range sorted(c.rooms) {
		first := map[uint64]Entry{}
		for _, e := range c.rooms[room] {
			other, taken := first[e.Turn]
			if e.Turn == 0 || e.Mark == other.Mark {
				continue
			}
			if !taken {
				first[e.Turn] = e
			} else if at := (place{room, e.Turn}); !told[at] {
				told[at] = true
				c.report(Violation{Exclusive, "", room, fmt.Sprintf(
					"turn %d is that of %q at version %d and of %q at version %d", e.Turn, other.Mark, other.Version, e.Mark, e.Version)})
			}
		}
	}
}

// checkOrder: a message that was acknowledged before another was sent, by whomever, comes before it in the log.
func (c *checker) checkOrder(all []*command) {
	byMark := map[string]*command{}
	for _, cmd := range all {
		byMark[cmd.mark] = cmd
	}
	for _, room := range sorted(c.rooms) {
		// From the end of the log on, earliest is the one acknowledged first among those that come later in the log.
		var earliest *command
		entries := c.rooms[room]
		for i := len(entries) - 1; i >= 0; i-- {
			cmd := byMark[entries[i].Mark]
			if cmd == nil {
				continue
			}
			if earliest != nil && earliest != cmd && earliest.acked < cmd.sent {
				c.report(Violation{Ordered, cmd.client, room, fmt.Sprintf(
					"%q was acknowledged (record %d) before %q was sent (record %d), and comes after it in the log",
					earliest.mark, earliest.acked, cmd.mark, cmd.sent)})
				break
			}
			if cmd.acked > 0 && (earliest == nil || cmd.acked < earliest.acked) {
				earliest = cmd
			}
		}
	}
}

// checkLog: versions of a room follow each other and positions rise.
func (c *checker) checkLog() {
	for _, room := range sorted(c.rooms) {
		entries := c.rooms[room]
		for i, e := range entries[1:] {
			before := entries[i]
			switch {
			case e.Version > before.Version+1:
				c.report(Violation{Gapless, "", room, fmt.Sprintf("version %d follows version %d", e.Version, before.Version)})
			case e.Version <= before.Version, e.Position <= before.Position:
				c.report(Violation{Ordered, "", room, fmt.Sprintf("version %d at position %d follows version %d at position %d",
					e.Version, e.Position, before.Version, before.Position)})
			}
		}
	}
}
