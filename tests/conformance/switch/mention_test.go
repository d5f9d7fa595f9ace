package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	base := unique("alice")
	x, longer := s.known(t, "codex", object{"name": base}), s.known(t, "codex", object{"name": base + "-2"})
	alias, role, idle := unique("Ally"), unique("chair"), unique("idle")
	room := a.roomWith(t, object{
		"aliases": object{x.name: alias},
		"roles": []any{
			object{"name": role, "instructions": "Keep order."}, object{"name": idle, "instructions": "Nobody."},
		},
	}, a, b, x, longer)
	stream := x.within(t, room)
	holder := b.within(t, room)
	// addressed posts a text and tells whether x was addressed by it.
	addressed := func(t *testing.T, body string) any {
		t.Helper()
		a.say(t, room, body)
		return stream.hears(t, body).payload["addressed"]
	}
	yes := func(t *testing.T, bodies ...string) {
		t.Helper()
		for _, body := range bodies {
			require.Equal(t, true, addressed(t, strings.ReplaceAll(body, "NAME", x.name)), body)
		}
	}
	no := func(t *testing.T, bodies ...string) {
		t.Helper()
		for _, body := range bodies {
			require.Equal(t, false, addressed(t, strings.ReplaceAll(body, "NAME", x.name)), body)
		}
	}
	t.Run("name", func(t *testing.T) {
		shows(t, "3.5-2-name", "3.5-post-mentions", "D12")
		yes(t, "@NAME", "hello @NAME there", strings.ToUpper("@"+x.name), "line\n@NAME\nline", "@nobody @NAME")
		no(t, "NAME", "@ NAME", "hello", "@nobody")
		sent := a.within(t, room).call(t, "post_message", object{"body": "@" + x.name})
		require.Equal(t, at(t, sent, "event_id"), stream.hears(t, "@"+x.name).payload["message_id"])
	})
	t.Run("emphasis", func(t *testing.T) {
		shows(t, "3.5-2-emphasis", "8-25")
		yes(t, "@*NAME*", "**@NAME**", "@~~NAME~~", "@*"+x.name[:3]+"*"+x.name[3:], "*@NAME*")
		no(t, "`@nobody`")
	})
	t.Run("right", func(t *testing.T) {
		shows(t, "3.5-2-right", "8-25")
		no(t, "@NAME-2", "@NAMEx", "@NAME_1", "@NAME.org", "@NAME-2 @NAME9")
		yes(t, "@NAME-2 and @NAME")
	})
	t.Run("left", func(t *testing.T) {
		shows(t, "3.5-2-left", "8-26")
		yes(t, "bob@NAME", "a.b@NAME is no mail", "(@NAME)", "@@NAME")
	})
	t.Run("punctuation", func(t *testing.T) {
		shows(t, "3.5-2-punctuation")
		yes(t, "@NAME, hi", "@NAME: hi", "(see @NAME)", "@NAME's", "hi @NAME", "@NAME!", "@NAME?", "@NAME/@x", "@NAME\tx", "@NAMEé")
	})
	t.Run("full stop", func(t *testing.T) {
		shows(t, "3.5-2-full-stop", "8-26")
		yes(t, "ask @NAME.", "ask @NAME. Then go.", "@NAME- well", "@NAME_", "@NAME...", "@NAME.\nnext")
		no(t, "@NAME.x", "@NAME-x")
	})
	t.Run("alias", func(t *testing.T) {
		shows(t, "3.5-3-alias")
		yes(t, "@"+alias, strings.ToLower("hi @"+alias+", come"), strings.ToUpper("@"+alias))
		no(t, "@"+alias+"x", alias)
	})
	t.Run("alias emphasis", func(t *testing.T) {
		shows(t, "3.5-3-alias-emphasis")
		no(t, "@*"+alias+"*")
	})
	t.Run("everyone", func(t *testing.T) {
		shows(t, "3.5-everyone")
		no(t, "@everyone", "@here", "@all", "@channel", "@room")
	})
	t.Run("role", func(t *testing.T) {
		shows(t, "3.5-4-role", "3.5-4-role-nobody")
		no(t, "@"+role, "@"+idle)
		stream.call(t, "assume_role", object{"role": role})
		yes(t, "@"+role, "@*"+strings.ToUpper(role)+"*, please", "@"+role+".")
		no(t, "@"+role+"-x", "@"+idle)
		stream.call(t, "release_role", nil)
		no(t, "@"+role)
	})
	t.Run("direct", func(t *testing.T) {
		shows(t, "3.5-1-direct")
		direct := a.roomWith(t, object{"channel_type": "direct"}, a, x)
		stream := x.within(t, direct)
		a.say(t, direct, "no name at all")
		require.Equal(t, true, stream.hears(t, "no name at all").payload["addressed"])
		x.within(t, room).close()
	})
	t.Run("policy", func(t *testing.T) {
		shows(t, "3.5-5-policy", "6.5-open", "D12")
		require.Nil(t, x.detail(t)["addressing_policy"])
		require.Nil(t, find(t, list(t, a.call(t, "list_agents", nil)), "id", x.id)["addressing_policy"])
		a.say(t, room, "open to @"+b.name)
		for {
			if e := holder.event(t, "message"); e.payload["body"] == "open to @"+b.name {
				require.Equal(t, true, e.payload["addressed"])
				break
			}
		}
	})
}

func TestThreads(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	stream, mine := b.within(t, room), a.within(t, room)
	root := a.say(t, room, "root @"+b.name)
	require.Equal(t, true, stream.hears(t, "root @"+b.name).payload["addressed"])
	post := func(t *testing.T, body, thread string) string {
		t.Helper()
		return text(t, mine.call(t, "post_message", object{"body": body, "thread_id": thread}), "event_id")
	}
	t.Run("root", func(t *testing.T) {
		shows(t, "3.6-root", "3.6-normalised", "3.5-threads")
		reply := post(t, "reply", root)
		p := stream.hears(t, "reply").payload
		require.Equal(t, root, p["thread_id"])
		require.Equal(t, reply, p["message_id"])
		require.Equal(t, false, p["addressed"], "a thread addresses nobody")
		post(t, "reply to the reply", reply)
		require.Equal(t, root, stream.hears(t, "reply to the reply").payload["thread_id"])
		post(t, "to @"+b.name, reply)
		require.Equal(t, true, stream.hears(t, "to @"+b.name).payload["addressed"])
		sent := mine.call(t, "send_targeted_message", object{"body": "there", "target_names": []string{b.name}, "thread_id": reply})
		p = stream.hears(t, "@"+b.name+" there").payload
		require.Equal(t, root, p["thread_id"])
		require.Equal(t, at(t, sent, "event_id"), p["message_id"])
	})
	t.Run("unknown", func(t *testing.T) {
		shows(t, "3.6-unknown", "4.5-post_message.thread")
		elsewhere := a.say(t, a.room(t, a), "in another room")
		for _, id := range []string{"no-such-message", elsewhere} {
			mine.try(t, "post_message", object{"body": "x", "thread_id": id}).refused(400)
			mine.try(t, "send_targeted_message", object{"body": "x", "target_names": []string{b.name}, "thread_id": id}).refused(400)
		}
		a.say(t, room, "nothing was posted")
		stream.hears(t, "nothing was posted")
	})
}
