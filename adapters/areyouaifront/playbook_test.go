package areyouaifront_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// reader is an agent that has nothing but skill.md: it runs the examples as they stand there, with the values that the
// replies before gave it.
type reader struct {
	t      *testing.T
	blocks map[string]string
	used   map[string]bool
	env    map[string]string
}

var shellBlock = regexp.MustCompile("(?s)```sh ([a-z-]+)\n(.*?)```")

func newReader(t *testing.T, text string) *reader {
	r := &reader{t: t, blocks: map[string]string{}, used: map[string]bool{"base": true}, env: map[string]string{}}
	for _, m := range shellBlock.FindAllStringSubmatch(text, -1) {
		require.NotContains(t, r.blocks, m[1])
		r.blocks[m[1]] = m[2]
	}
	require.Equal(t, strings.Count(text, "```"), 2*len(r.blocks), "every example has a name and is run")
	return r
}

// command is an example as a process.
func (r *reader) command(ctx context.Context, name string) *exec.Cmd {
	r.t.Helper()
	require.Contains(r.t, r.blocks, name)
	r.used[name] = true
	cmd := exec.CommandContext(ctx, "sh", "-c", r.blocks["base"]+"exec "+r.blocks[name])
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range r.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// fields are those of a reply.
type fields map[string]any

func (f fields) text(name string) string { s, _ := f[name].(string); return s }
func (f fields) raw(name string) string  { b, _ := json.Marshal(f[name]); return string(b) }
func (f fields) list(name string) []any  { l, _ := f[name].([]any); return l }
func (f fields) first(name string) fields {
	m, _ := f.list(name)[0].(map[string]any)
	return m
}

// run runs an example to its end. A refusal has its code in the field error.
func (r *reader) run(name string) (out fields) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	data, err := r.command(ctx, name).Output()
	require.NoError(r.t, err, name)
	require.NoError(r.t, json.Unmarshal(data, &out), "%s: %s", name, data)
	return out
}

// follow runs an example that is a stream until it has seen the type.
func (r *reader) follow(name, until string) (seen []fields) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := r.command(ctx, name)
	out, err := cmd.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var ev fields
		require.NoError(r.t, json.Unmarshal([]byte(data), &ev))
		if seen = append(seen, ev); ev.text("type") == until {
			break
		}
	}
	cancel()
	// It was killed.
	_ = cmd.Wait()
	require.NotEmpty(r.t, seen, name)
	require.Equal(r.t, until, seen[len(seen)-1].text("type"), name)
	return seen
}

// look fetches the context and takes what a message needs from it.
func (r *reader) look() fields {
	r.t.Helper()
	c := r.run("context")
	r.env["TURN"], r.env["HASH"] = c.raw("next_turn"), c.text("bundle_hash")
	return c
}

// enter registers and logs in.
func (r *reader) enter() (id string) {
	r.t.Helper()
	made := r.run("register")
	r.env["API_KEY"] = made.text("api_key")
	r.env["SESSION"] = r.run("login").text("session_token")
	require.NotEmpty(r.t, r.env["SESSION"])
	return made.text("agent_id")
}

// TestSkillIsEnough holds a conversation of two agents that know only the text, through everything that it says may go
// wrong.
func TestSkillIsEnough(t *testing.T) {
	needs(t, "curl")
	g := newGate(t, areyouaifront.Options{})
	text := g.get("/skill.md", "").body
	ada, bob := newReader(t, text), newReader(t, text)
	ids := []string{ada.enter(), bob.enter()}

	made := ada.run("listing")
	ada.env["ROOM"], ada.env["HUMAN_CODE"] = made.text("room_id"), made.text("human_code")
	require.Equal(t, "OPEN", ada.run("state").text("state"))
	ada.look()
	require.Equal(t, "room_not_active", ada.run("send").text("error"))

	bob.env["LISTING"] = bob.run("search").first("items").text("id")
	bob.env["ROOM"] = bob.run("connect").text("room_id")
	require.Equal(t, ada.env["ROOM"], bob.env["ROOM"])
	require.Equal(t, "listing_already_connected", bob.run("connect").text("error"))

	bob.look()
	require.Equal(t, "turn_mismatch", bob.run("send").text("error"))
	state := ""
	for turn := range 6 {
		speaker := []*reader{ada, bob}[turn%2]
		state = speaker.speak(ids[turn%2])
	}
	require.Equal(t, "CLOSED", state)
	require.Equal(t, "gone", ada.run("send").text("error"))
	require.Equal(t, "CLOSED", bob.run("close").text("state"))

	ada.readBack()
	ada.secondRoom(bob)
	for name := range ada.blocks {
		require.True(t, ada.used[name] || bob.used[name], "example %s was not run", name)
	}
}

// speak takes a turn: with a hash that has gone stale first, then with a session that has ended, then as it should.
func (r *reader) speak(self string) (roomState string) {
	r.t.Helper()
	if r.env["HASH"] != "" && r.env["TURN"] != "0" {
		old := r.env["HASH"]
		r.look()
		r.env["HASH"] = old
		require.Equal(r.t, "stale_bundle_hash", r.run("send").text("error"))
	}
	require.Equal(r.t, self, r.look().text("next_actor_id"))
	require.Equal(r.t, r.env["TURN"], r.run("ack").raw("turn_index"))
	good := r.env["SESSION"]
	r.env["SESSION"] = "as_ended"
	require.Equal(r.t, "unauthorized", r.run("send").text("error"))
	r.env["SESSION"] = r.run("login").text("session_token")
	require.NotEqual(r.t, good, r.env["SESSION"])
	sent := r.run("send")
	require.Empty(r.t, sent.text("error"))
	return sent.text("room_state")
}

// readBack reads the room twice, by stream and by pages, and finds the same.
func (r *reader) readBack() {
	r.t.Helper()
	r.env["SINCE"] = "0"
	streamed := r.follow("events", string(areyouai.EventRoomClosed))
	var paged []fields
	for {
		page := r.run("history")
		if len(page.list("items")) == 0 {
			break
		}
		for _, item := range page.list("items") {
			paged = append(paged, item.(map[string]any))
		}
		r.env["SINCE"] = page.raw("next_since")
	}
	require.Equal(r.t, streamed, paged)
	require.Len(r.t, streamed, 4+6+2)
}

// secondRoom runs the examples about wake-ups, room tokens and people in another room of the same two.
func (r *reader) secondRoom(bob *reader) {
	r.t.Helper()
	made := r.run("listing")
	r.env["ROOM"], r.env["HUMAN_CODE"] = made.text("room_id"), made.text("human_code")
	bob.env["LISTING"] = bob.run("search").first("items").text("id")
	require.Empty(r.t, bob.run("connect").text("error"))

	seen := r.follow("stream", "room.turn_ready")
	require.Equal(r.t, "stream.hello", seen[0].text("type"))
	ready := seen[len(seen)-1]
	require.Equal(r.t, r.env["ROOM"], ready.text("room_id"))
	r.env["DELIVERY"] = ready.text("delivery_id")
	require.Equal(r.t, "acked", r.run("delivery-ack").text("status"))
	require.Equal(r.t, r.env["ROOM"], r.run("actionable").first("actionable").text("room_id"))

	session := r.env["SESSION"]
	r.env["SESSION"] = r.run("token").text("token")
	r.look()
	require.Equal(r.t, "start", r.run("typing").text("state"))
	require.Equal(r.t, "1", r.run("send").raw("next_turn"))
	require.Equal(r.t, "unauthorized", r.run("history").text("error"), "a room token does not read the history")
	r.env["SESSION"] = session
	require.Len(r.t, r.run("transcript").list("messages"), 1)
}

// needs skips a test for which the machine lacks a program.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("no %s on this machine: the examples that need it were not run", program)
	}
	return path
}
