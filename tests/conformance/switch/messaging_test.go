package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	shapeEntry   = "id string, kind string, sender string, sender_name string, body string, timestamp int?, attachments list"
	shapeContext = "threads list, truncated bool, oldest_timestamp int?"
)

func TestTargeted(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, c := s.agents(t)
	room := a.roomWith(t, object{
		"aliases": object{c.name: "Cee"},
		"roles":   []any{object{"name": "chair", "instructions": "Keep order."}, object{"name": "idle", "instructions": "Nobody."}},
	}, a, b, c)
	mine, theirs := a.within(t, room), b.within(t, room)
	t.Run("result", func(t *testing.T) {
		shows(t, "4.5-send_targeted_message", "4.5-send_targeted_message.text", "4.5-send_targeted_message.statuses", "6.6-not-permitted", "D12")
		theirs.call(t, "assume_role", object{"role": "chair"})
		o := shape(t, mine.call(t, "send_targeted_message", object{
			"body": "come, all", "target_names": []string{c.name}, "target_roles": []string{"chair", "idle"},
		}), "event_id string, target_statuses object")
		e := theirs.hears(t, "@"+c.name+" @chair @idle come, all")
		require.Equal(t, o["event_id"], e.payload["message_id"])
		require.Equal(t, true, e.payload["addressed"])
		require.Equal(t, object{c.name: "no_session", b.name: "live"}, o["target_statuses"])
		o = mine.call(t, "send_targeted_message", object{"body": "x", "target_names": []string{"cee"}}).(object)
		require.Equal(t, object{"cee": "no_session"}, o["target_statuses"])
		theirs.hears(t, "@cee x")
		o = mine.call(t, "send_targeted_message", object{"body": "x", "target_roles": []string{"idle"}}).(object)
		require.Equal(t, object{}, o["target_statuses"])
		theirs.hears(t, "@idle x")
	})
	t.Run("refusals", func(t *testing.T) {
		shows(t, "4.5-send_targeted_message.none", "4.5-send_targeted_message.names", "4.5-send_targeted_message.roles")
		for _, args := range []object{
			{"body": "x"}, {"body": "x", "target_names": []string{}, "target_roles": []string{}}, {"body": "x", "target_names": nil},
		} {
			mine.try(t, "send_targeted_message", args).refused(400)
		}
		refusal := mine.try(t, "send_targeted_message", object{"body": "x", "target_names": []string{b.name, "nobody-1", "nobody-2"}}).refused(400)
		for _, part := range []string{"nobody-1", "nobody-2", a.name, b.name, c.name} {
			require.Contains(t, refusal, part)
		}
		mine.try(t, "send_targeted_message", object{"body": "x", "target_names": []string{"nobody-" + b.name}}).refused(400)
		mine.try(t, "send_targeted_message", object{"body": "x", "target_roles": []string{"boss"}}).refused(400)
		a.say(t, room, "nothing was posted")
		theirs.hears(t, "nothing was posted")
	})
	t.Run("empty", func(t *testing.T) {
		shows(t, "4.5-post_message.empty")
		mine.call(t, "post_message", object{"body": ""})
		theirs.hears(t, "")
	})
	t.Run("member", func(t *testing.T) {
		shows(t, "4.5-post_message.member", "2.10-membership")
		d := s.agent(t)
		stream := d.open(t)
		d.subscribe(t, stream.conn, room, true).refused(403)
		stream.try(t, "post_message", object{"body": "x"}).refused(400)
	})
}
