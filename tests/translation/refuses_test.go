package translation_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/tests/translation"
)

const (
	ada, bob = "agt_ada", "agt_bob"
	talk     = "room_talk"
)

// sample is a log with events of several kinds, as its file holds them.
func sample(t *testing.T) []translation.Event {
	t.Helper()
	var log []translation.Event
	add := func(kind, body, content string) {
		version := uint64(len(log)) + 1
		e, err := translation.NewEvent(10*version, version, kind, []byte(body), []byte(content))
		require.NoError(t, err)
		log = append(log, e)
	}
	add("room.created", `{"id":"room_talk","creator":"agt_ada"}`, `{}`)
	add("member.joined", `{"agent":"agt_ada","name":"ada"}`, ``)
	add("member.joined", `{"agent":"agt_bob","name":"bob"}`, ``)
	add("message.posted", `{"id":"msg_1","turn":0,"sender":"agt_bob","addressed":["agt_ada"]}`, `{"sender_name":"bob","text":"b.1 @ada"}`)
	add("state.patched", `{"actor":"agt_bob"}`, `{"patch":{"plan":"b"}}`)
	add("message.posted", `{"id":"msg_2","turn":1,"sender":"agt_ada"}`, `{"sender_name":"ada","text":"a.1"}`)
	add("event.emitted", `{"actor":"agt_bob"}`, `{"type":"b.2"}`)
	add("message.posted", `{"id":"msg_3","turn":2,"sender":"agt_bob"}`, `{"sender_name":"bob","text":"b.3"}`)
	add("room.closed", `{"reason":"member","actor":"agt_bob"}`, ``)
	return log
}

// seen is what ada is shown of a part of a log, as it should be.
func seen(log []translation.Event, v translation.View, from, until uint64) translation.Reading {
	after, to := translation.Place(log, translation.Areyouai, from), translation.Place(log, translation.Areyouai, until)
	r := translation.Reading{View: v, After: after.In(v), Until: to.In(v)}
	for _, e := range log[from:until] {
		// The third event is the first that a Switch agent is shown: its own arrival is the second.
		if line, ok := translation.NewFilter().Of(v, e, talk, ada); ok && (v != translation.Switch || e.Version > 2) {
			r.Lines = append(r.Lines, line)
		}
	}
	return r
}

// moved is what ada saw who went from areyouai to Switch and then to the edge socket.
func moved(log []translation.Event) translation.Transcript {
	return translation.Transcript{Participant: "ada", Agent: ada, Legs: []translation.Leg{
		{Readings: []translation.Reading{seen(log, translation.Areyouai, 0, 4)}},
		{Readings: []translation.Reading{seen(log, translation.Switch, 4, 5)}},
		{Readings: []translation.Reading{
			seen(log, translation.EdgeMessages, 5, 9), seen(log, translation.EdgeEvents, 5, 9),
		}},
	}}
}

func TestNothingToComplainOf(t *testing.T) {
	log := sample(t)
	require.Empty(t, translation.Check(talk, log, moved(log)))
	for _, v := range []translation.View{translation.Switch, translation.Areyouai, translation.EdgeEvents} {
		whole := translation.Transcript{Participant: "ada", Agent: ada, Legs: []translation.Leg{
			{Readings: []translation.Reading{seen(log, v, 0, 9)}},
		}}
		require.NotEmpty(t, whole.Legs[0].Readings[0].Lines)
		require.Empty(t, translation.Check(talk, log, whole), v)
	}
}

// TestRefusesWhatIsAmiss breaks every view's transcript in every way, at every place.
func TestRefusesWhatIsAmiss(t *testing.T) {
	log := sample(t)
	foreign := translation.Line{Number: 45, Says: "message.created msg_9 of agt_eve in turn 9: \"boo\""}
	for name, spoil := range map[string]func([]translation.Line, int) []translation.Line{
		"lost":         func(l []translation.Line, i int) []translation.Line { return slices.Delete(l, i, i+1) },
		"repeated":     func(l []translation.Line, i int) []translation.Line { return slices.Insert(l, i, l[i]) },
		"foreign":      func(l []translation.Line, i int) []translation.Line { return slices.Insert(l, i, foreign) },
		"out of order": swap,
	} {
		for _, v := range []translation.View{translation.Switch, translation.Areyouai, translation.EdgeMessages, translation.EdgeEvents} {
			whole := []translation.Reading{seen(log, v, 0, 9)}
			if v == translation.EdgeMessages {
				whole = append(whole, seen(log, translation.EdgeEvents, 0, 9))
			}
			for i := range whole[0].Lines {
				r := whole[0]
				r.Lines = spoil(slices.Clone(r.Lines), i)
				readings := slices.Clone(whole)
				readings[0] = r
				found := translation.Check(talk, log, translation.Transcript{
					Participant: "ada", Agent: ada, Legs: []translation.Leg{{Readings: readings}},
				})
				require.Len(t, found, 1, "%s at line %d of %s", name, i, v)
				require.Contains(t, found[0], "over "+string(v)+": "+name)
			}
		}
	}
}

// swap exchanges a line and the one behind it, or before it at the end.
func swap(l []translation.Line, i int) []translation.Line {
	k := i + 1
	if k == len(l) {
		k = i - 1
	}
	l[i], l[k] = l[k], l[i]
	return l
}

// TestRefusesOtherWords changes what one line says.
func TestRefusesOtherWords(t *testing.T) {
	log := sample(t)
	for _, v := range []translation.View{translation.Switch, translation.Areyouai, translation.EdgeEvents} {
		r := seen(log, v, 0, 9)
		r.Lines[1].Says += "!"
		found := translation.Check(talk, log, translation.Transcript{
			Participant: "ada", Agent: ada, Legs: []translation.Leg{{Readings: []translation.Reading{r}}},
		})
		require.Len(t, found, 1)
		require.Contains(t, found[0], "foreign")
	}
}

// TestRefusesWrongSeams lets a participant begin a leg elsewhere than it ended the one before, or stop too early.
func TestRefusesWrongSeams(t *testing.T) {
	log := sample(t)
	for name, spoil := range map[string]func(*translation.Transcript){
		"skips an event":      func(s *translation.Transcript) { s.Legs[0].Readings[0] = seen(log, translation.Areyouai, 0, 3) },
		"sees an event twice": func(s *translation.Transcript) { s.Legs[1].Readings[0] = seen(log, translation.Switch, 3, 5) },
		"skips a message":     func(s *translation.Transcript) { s.Legs[2].Readings[0] = seen(log, translation.EdgeMessages, 6, 9) },
		"stops too early": func(s *translation.Transcript) {
			s.Legs[2].Readings[0], s.Legs[2].Readings[1] = seen(log, translation.EdgeMessages, 5, 8), seen(log, translation.EdgeEvents, 5, 8)
		},
	} {
		t.Run(name, func(t *testing.T) {
			spoilt := moved(log)
			spoil(&spoilt)
			require.NotEmpty(t, translation.Check(talk, log, spoilt))
		})
	}
}

func TestRefusesBrokenWord(t *testing.T) {
	log := sample(t)
	said := func(mark string, o translation.Outcome) translation.Said {
		return translation.Said{Mark: mark, Outcome: o}
	}
	require.Empty(t, translation.CheckSaid(log, bob, []translation.Said{
		said("b.1", translation.Accepted), said("b.0", translation.Refused), said("b.2", translation.Unknown),
		said("b.9", translation.Unknown), said("b.3", translation.Accepted),
	}))
	for name, list := range map[string][]translation.Said{
		"accepted and lost": {said("b.9", translation.Accepted)},
		"refused and there": {said("b.1", translation.Refused)},
		"out of order":      {said("b.3", translation.Accepted), said("b.1", translation.Accepted)},
	} {
		require.Len(t, translation.CheckSaid(log, bob, list), 1, name)
	}
	require.Len(t, translation.CheckSaid(append(log, log[3]), bob, []translation.Said{said("b.1", translation.Unknown)}), 1, "twice")
}

func TestRefusesAnotherState(t *testing.T) {
	log := sample(t)
	require.Empty(t, translation.CheckState(log, "ada", map[string]string{"plan": `"b"`, "topic": `"talk"`}))
	for _, state := range []map[string]string{nil, {"plan": `"a"`}} {
		require.Len(t, translation.CheckState(log, "ada", state), 1)
	}
}
