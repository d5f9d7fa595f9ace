package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// sight is a page of the console, as a tab that is signed in and watches a room gets to it.
type sight struct {
	name, path string
	// ready is true when the page has all it waits for; empty: at once.
	ready string
	// then does something on it that shows another page.
	then func(*tab)
	// stranger: it is seen by somebody who has not signed in and has no code.
	stranger bool
}

const isLive = `document.querySelector("[data-state]")?.dataset.state === "live"`

// fair is a gateway on which every page has something to show, with a tab that may see all of it.
type fair struct {
	*world
	party *party
	pair  *pair
	tab   *tab
	// stranger has not signed in.
	stranger *tab
}

func newFair(t *testing.T) *fair {
	t.Helper()
	w := newWorld(t)
	f := &fair{world: w, party: w.newParty(agentswitch.CreateRoomArgs{
		Name: "harbour", Description: "cranes and berths",
		Roles: []agentswitch.RoleArgs{{Name: "pilot", Instructions: "Bring ships in.", Exclusive: true}, {Name: "crew", Instructions: "Load."}},
	})}
	ctx := t.Context()
	_, err := f.party.ada.AssumeRole(ctx, "pilot")
	require.NoError(t, err)
	_, err = f.party.ada.CreateRoomDocument(ctx, agentswitch.CreateDocumentArgs{Name: "tides", Description: "of this week", Content: "08:12 4.1 m"})
	require.NoError(t, err)
	_, err = f.party.cleo.Call(ctx, "emit_event", "progress", map[string]any{"loaded": 3, "of": 12})
	require.NoError(t, err)
	f.party.adaSays("@bert is the crane free at noon?")
	f.party.bertSays("It is, until two o'clock.")
	f.party.cleoSays("I can have the crew there by 11:45 – ça va? 🏗")
	f.party.adaSays(strings.Repeat("A long report, line by line. ", 300))
	f.party.bertSays(strings.Repeat("line\n", 500) + "end")
	f.pair = w.newPair("which berth for the Aurora?", 10)
	f.pair.next(strings.Repeat("Berth four is free. ", 250))
	f.pair.next("Is it deep enough?")
	_, err = f.pair.bert.Ack(ctx, f.pair.listing.RoomID, 1)
	require.NoError(t, err)

	f.tab, f.stranger = w.tab(t), w.tab(t)
	w.signIn(f.tab)
	f.tab.open("/gateway/rooms/" + f.party.room)
	f.tab.follow(`form[action$="/join"] button`)
	f.tab.open("/watch/" + f.pair.listing.RoomID)
	f.tab.fill(`input[name="code"]`, f.pair.listing.HumanCode)
	f.tab.submit(`input[name="code"]`)
	f.tab.open("/gateway/people")
	f.tab.fill(`form[action="/gateway/people"] input[name="name"]`, "karl")
	f.tab.submit(`form[action="/gateway/people"] input[name="name"]`)
	return f
}

// sights are all pages of the console.
func (f *fair) sights() []sight {
	room, watched := "/gateway/rooms/"+f.party.room, "/watch/"+f.pair.listing.RoomID
	f.tab.open(room)
	event := value[string](f.tab, `document.querySelector(".said .at").getAttribute("href")`)
	cut := value[[]string](f.tab, `[...document.querySelectorAll(".said .words a")].map((a) => a.getAttribute("href"))`)
	require.Len(f.t, cut, 2)
	f.tab.open(watched)
	message := value[string](f.tab, `document.querySelector(".said .words a").getAttribute("href")`)
	f.tab.open("/gateway/agents")
	agent := value[string](f.tab, `[...document.querySelectorAll("main td a")].find((a) => a.innerText === "ada").getAttribute("href")`)
	return []sight{
		{name: "sign in", path: "/gateway/sign-in", stranger: true},
		{name: "sign in, refused", path: "/gateway/sign-in", stranger: true, then: func(b *tab) {
			b.fill(`input[name="name"]`, "nobody")
			b.fill(`input[name="password"]`, "not a password")
			b.submit(`input[name="password"]`)
		}},
		{name: "overview", path: "/gateway"},
		{name: "rooms", path: "/gateway/rooms"},
		{name: "no rooms", path: "/gateway/rooms?q=none+of+that+name"},
		{name: "room", path: room, ready: isLive},
		{name: "stele", path: event},
		{name: "stele of a long message", path: cut[0]},
		{name: "stele of a message of many lines", path: cut[1]},
		{name: "agents", path: "/gateway/agents"},
		{name: "agent", path: agent},
		{name: "trace", path: agent + "/trace?script=switch&after=1"},
		{name: "tokens", path: "/gateway/tokens"},
		{name: "a new token", path: "/gateway/tokens", then: func(b *tab) { b.follow(`form[action="/gateway/tokens"] button`) }},
		{name: "get started", path: "/gateway/start"},
		{name: "get started with a token", path: "/gateway/start", then: func(b *tab) { b.follow(`form[action="/gateway/start/token"] button`) }},
		{name: "account", path: "/gateway/account"},
		{name: "people", path: "/gateway/people"},
		{name: "a room that is not there", path: "/gateway/rooms/none"},
		{name: "watch a room", path: "/watch"},
		{name: "watched room", path: watched, ready: isLive},
		{name: "watched message", path: message},
		{name: "the code of a room", path: watched, stranger: true},
	}
}

// show opens a page, in the tab of whom it is for.
func (f *fair) show(s sight) *tab {
	f.t.Helper()
	b := f.tab
	if s.stranger {
		b = f.stranger
	}
	b.open(s.path)
	if s.then != nil {
		s.then(b)
	}
	if s.ready != "" {
		b.await(s.ready)
	}
	return b
}
