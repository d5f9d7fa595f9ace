package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// operate runs a command of the program on the server's data folder and returns what it printed. What the protocol leaves
// to its Gateway, this project's operator does from the command line.
func (s *server) operate(t *testing.T, args ...string) (string, error) {
	t.Helper()
	needsProcess(t)
	program, err := stele.Binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, append(args, "--data", s.dir, "--json")...)
	out, err := cmd.Output()
	return string(out), err
}

// operated expects the command to succeed and returns the object it printed.
func (s *server) operated(t *testing.T, args ...string) object {
	t.Helper()
	out, err := s.operate(t, args...)
	require.NoError(t, err, "%v", args)
	return parse(t, out).(object)
}

// of is the same server for another owner, with the id of that owner's registration token.
func (s *server) of(t *testing.T, owner string) (theirs *server, tokenID string) {
	t.Helper()
	made := s.operated(t, "token", "create", "--owner", owner)
	other := *s
	other.token = text(t, made, "token")
	return &other, text(t, made, "id")
}

func TestOwners(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner := unique("owner")
	theirs, id := s.of(t, owner)
	a, b := s.agent(t), theirs.agent(t)
	t.Run("overwriting", func(t *testing.T) {
		shows(t, "D11", "6.2-overwrite-keeps")
		for _, path := range []string{"/agents/register-known", "/agents"} {
			body := fullProfile("always_on")
			body["agent_type"], body["name"], body["overwrite"] = "codex", b.name, true
			s.do(t, "POST", path, s.token, body).refused(403)
		}
		b.get(t, "/ops").is(200)
		made := theirs.do(t, "POST", "/agents/register-known", theirs.token, knownBody(object{"name": b.name, "overwrite": true})).is(200).object()
		require.Equal(t, b.id, made["id"])
		b.key = text(t, made, "api_key")
	})
	t.Run("rights", func(t *testing.T) {
		shows(t, "4.3-write", "4.9-update_agent_detail.owner", "4.6-attach_reference_to_room.errors", "4.9-list_agents.filters", "4.4-create_room.reference_ids",
			"4.4-list_all_rooms")
		room := a.roomWith(t, object{"write_visibility": "private"}, a, b)
		private := a.roomWith(t, object{"read_visibility": "private", "write_visibility": "private"}, a)
		b.try(t, "update_room", object{"room_id": room, "name": "x"}).refused(403)
		b.within(t, room).try(t, "define_role", object{"name": "boss", "instructions": "x"}).refused(403)
		b.try(t, "invite_agent_to_room", object{"room_id": private, "agent_name": b.name}).refused(403)
		require.NotContains(t, column(t, list(t, b.call(t, "list_all_rooms", nil)), "room_id"), private)
		b.try(t, "update_agent_detail", object{"agent_id": a.id, "options": object{}}).refused(403)
		mine, public := a.reference(t, nil), a.reference(t, object{"read_visibility": "public"})
		open := b.room(t, b)
		b.try(t, "attach_reference_to_room", object{"room_id": open, "reference_id": mine}).refused(403)
		b.try(t, "attach_reference_to_room", object{"room_id": room, "reference_id": b.reference(t, nil)}).refused(403)
		b.call(t, "attach_reference_to_room", object{"room_id": open, "reference_id": public})
		b.try(t, "create_room", object{"name": "x", "description": "x", "agent_names": []string{}, "reference_ids": []string{mine}}).refused(403)
		require.Equal(t, anys(b.name), column(t, list(t, a.call(t, "list_agents", object{"owner_name": owner})), "name"))
	})
	t.Run("revoking", func(t *testing.T) {
		shows(t, "D10", "6.1-ends", "6.1-several")
		_, err := s.operate(t, "token", "revoke", id)
		require.NoError(t, err)
		plain401(t, s.do(t, "POST", "/agents/register-known", theirs.token, knownBody(nil)), invalidCredentials)
		b.get(t, "/ops").is(200)
		s.agent(t)
	})
}

func TestCommands(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	body := fullProfile("session_addressable")
	body["integration_profile"].(object)["command_capabilities"] = object{"reset": "always", "interrupt": "session_dependent"}
	made := s.do(t, "POST", "/agents", s.token, body).is(200).object()
	x := &agent{s: s, id: text(t, made, "id"), name: body["name"].(string), key: text(t, made, "api_key")}
	room := a.roomWith(t, object{"roles": []any{object{"name": "scribe", "instructions": "Write."}}}, a, x)
	send := func(t *testing.T, command string, more ...string) error {
		_, err := s.operate(t, append([]string{"agent", "command", x.name, command, "--room", room, "--as", "dana"}, more...)...)
		return err
	}
	t.Run("always", func(t *testing.T) {
		shows(t, "3.2-command", "3.3-commands", "3.4-targets", "3.4-preconditions")
		other, addressed, stream := a.within(t, room), x.open(t, "scope=all", "filter=addressed"), x.within(t, room)
		require.NoError(t, send(t, "reset"))
		e := stream.event(t, "command")
		p := shape(t, e.payload, "command string, args string, user_id string, user_name string, thread_id string?")
		require.Equal(t, object{"command": "reset", "args": "", "user_id": "dana", "user_name": "dana", "thread_id": nil}, p)
		require.Equal(t, room, e.envelope["room_id"])
		stream.call(t, "assume_role", object{"role": "scribe"})
		require.NoError(t, send(t, "reset"))
		require.Equal(t, "scribe", stream.event(t, "command").payload["args"])
		a.say(t, room, "@"+x.name+" after it")
		stream.hears(t, "@"+x.name+" after it")
		x.unsubscribe(t, stream.conn, room).is(200)
		a.say(t, room, "@"+x.name+" at last")
		addressed.hears(t, "@"+x.name+" at last")
		x.say(t, room, "only to its target")
		other.hears(t, "only to its target")
	})
	t.Run("preconditions", func(t *testing.T) {
		shows(t, "3.4-preconditions", "1.8-runtime")
		require.Error(t, send(t, "compact"), "unsupported")
		require.Error(t, send(t, "interrupt"), "no session")
		stream := x.within(t, room)
		require.Error(t, send(t, "interrupt"), "nothing reported")
		report := object{"room_id": room, "state": "working", "control_capabilities": object{"reset": false, "compact": false, "interrupt": true}}
		x.post(t, "/runtime-state", report).is(200)
		require.NoError(t, send(t, "interrupt", "--args", "wait for me"))
		require.Equal(t, "wait for me", stream.event(t, "command").payload["args"])
		x.post(t, "/runtime-state", object{"room_id": room, "state": "idle"}).is(200)
		require.NoError(t, send(t, "interrupt"), "capabilities persist when left out")
		require.Equal(t, "interrupt", stream.event(t, "command").payload["command"])
		report["control_capabilities"] = object{"reset": true, "compact": true, "interrupt": false}
		x.post(t, "/runtime-state", report).is(200)
		require.Error(t, send(t, "interrupt"))
	})
	t.Run("sweep", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-runtime-sweep", "8-16")
		b := s.agent(t)
		room := a.room(t, a, b)
		stream := b.within(t, room)
		all := object{"reset": true, "compact": true, "interrupt": true}
		b.post(t, "/runtime-state", object{"room_id": room, "state": "working", "control_capabilities": all}).is(200)
		later(t, 6*time.Second)
		s.operated(t, "agent", "command", b.name, "compact", "--room", room)
		require.Equal(t, "compact", stream.event(t, "command").payload["command"], "what was reported still counts")
	})
	t.Run("policy", func(t *testing.T) {
		shows(t, "8-35", "6.5-commands")
		s.operated(t, "agent", "policy", x.name, "owner-agents")
		require.Error(t, send(t, "reset"), "dana is not the owner")
		s.operated(t, "agent", "policy", x.name, "open")
		require.NoError(t, send(t, "reset"))
	})
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	s := shared(t)
	theirs, _ := s.of(t, unique("owner"))
	a, b, other := s.agent(t), s.agent(t), theirs.agent(t)
	room, elsewhere := a.room(t, a, b, other), a.room(t, a, b, other)
	set := func(t *testing.T, policy string) {
		t.Helper()
		s.operated(t, "agent", "policy", b.name, policy)
	}
	fromFile := func(t *testing.T, rules string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "policy.json")
		require.NoError(t, os.WriteFile(file, []byte(`{"rules":[`+rules+`]}`), 0o600))
		set(t, file)
	}
	ears := b.open(t, "scope=all")
	// addressed tells whether a message of somebody in a room addresses b.
	addressed := func(t *testing.T, sender *agent, room string) any {
		t.Helper()
		word := unique("word") + " @" + b.name
		sender.say(t, room, word)
		return ears.hears(t, word).payload["addressed"]
	}
	t.Run("open", func(t *testing.T) {
		shows(t, "6.5-open", "3.5-5-policy")
		require.Nil(t, b.detail(t)["addressing_policy"])
		require.Equal(t, true, addressed(t, other, room))
	})
	t.Run("owner's agents", func(t *testing.T) {
		shows(t, "6.5-refused", "3.5-5-policy", "6.6-not-permitted", "4.10-delegate_task.errors", "4.5-send_targeted_message.statuses", "8-27")
		set(t, "owner-agents")
		require.NotNil(t, b.detail(t)["addressing_policy"])
		require.Equal(t, true, addressed(t, a, room))
		require.Equal(t, false, addressed(t, other, room), "it is posted and addresses nobody")
		session := other.within(t, room)
		o := session.call(t, "send_targeted_message", object{"body": "hello", "target_names": []string{b.name, a.name}}).(object)
		require.Equal(t, object{b.name: "not_permitted", a.name: "no_session"}, o["target_statuses"])
		require.Equal(t, false, ears.hears(t, "@"+b.name+" @"+a.name+" hello").payload["addressed"])
		session.try(t, "delegate_task", object{"performer_agent_id": b.id, "summary": "s", "description": "d"}).refused(403)
		again := s.known(t, "codex", object{"name": b.name, "overwrite": true})
		b.key = again.key
		require.NotNil(t, b.detail(t)["addressing_policy"], "an overwrite keeps it")
		ears = b.open(t, "scope=all")
		require.Equal(t, false, addressed(t, other, room))
		ears.close()
	})
	ears = b.open(t, "scope=all")
	t.Run("rules", func(t *testing.T) {
		shows(t, "6.5-rules")
		fromFile(t, `{"rooms":["`+room+`"],"users":[],"agents":["`+other.id+`"],"owner":false,"owner_agents":false}`)
		require.Equal(t, true, addressed(t, other, room))
		require.Equal(t, false, addressed(t, other, elsewhere))
		require.Equal(t, false, addressed(t, a, room))
		fromFile(t, `{"rooms":["`+room+`"],"users":[],"agents":["`+other.id+`"],"owner":false,"owner_agents":false},
			{"rooms":["*"],"users":[],"agents":[],"owner":false,"owner_agents":true}`)
		require.Equal(t, true, addressed(t, other, room))
		require.Equal(t, true, addressed(t, a, elsewhere))
		require.Equal(t, false, addressed(t, other, elsewhere))
		set(t, "open")
		require.Equal(t, true, addressed(t, other, elsewhere))
	})
}
