package prompt_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
	"stele/areyouai/prompt"
)

// visible is an input in the form in which a reader sees it: two inputs with
// equal visible values must have the same hash, others must not.
type visible struct {
	Layers                  [6]string
	Room, Topic, Self, A, B string
	State                   areyouai.RoomState
	Turn, Max, TTL, Closed  int64
	Last                    string
	Turns                   [3]int64
	Texts                   [3]string
	Count                   int
}

func drawVisible(t *rapid.T) visible {
	id := rapid.StringMatching(`[a-z0-9_-]{1,3}`)
	// Small domains, so that equal pairs come up too.
	small := rapid.Int64Range(0, 2)
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\\é")), 0, 2, -1)
	v := visible{
		Room: id.Draw(t, "room"), Topic: id.Draw(t, "topic"),
		Self: id.Draw(t, "self"), A: id.Draw(t, "a"), B: rapid.OneOf(rapid.Just(""), id).Draw(t, "b"),
		State: rapid.SampledFrom([]areyouai.RoomState{"OPEN", "ACTIVE", "CLOSED", "PURGED"}).Draw(t, "state"),
		Turn:  small.Draw(t, "turn"), Max: small.Draw(t, "max"), TTL: small.Draw(t, "ttl"), Closed: small.Draw(t, "closed"),
		Last: rapid.OneOf(rapid.Just(""), id).Draw(t, "last"), Count: rapid.IntRange(0, 3).Draw(t, "count"),
	}
	for i := range v.Layers {
		v.Layers[i] = id.Draw(t, "layer")
	}
	for i := range v.Count {
		v.Turns[i], v.Texts[i] = small.Draw(t, "n"), text.Draw(t, "text")
	}
	return v
}

func (v visible) input(t require.TestingT) prompt.Input {
	l := v.Layers
	layers, err := prompt.NewLayers(prompt.Texts{
		SystemCore: l[0], HardRulesGlobal: l[1], HardRulesAgent: l[2], Identity: l[3], Soul: l[4], User: l[5],
	})
	require.NoError(t, err)
	in := prompt.Input{
		Layers: layers, RoomID: v.Room, Topic: v.Topic, SelfAgentID: v.Self, AgentAID: v.A, AgentBID: v.B, State: v.State,
		TurnIndex: v.Turn, MaxTurns: v.Max, TTLAt: time.Unix(v.TTL, 0), LastActorID: v.Last,
	}
	if v.Closed > 0 {
		in.ClosedAt = time.Unix(v.Closed, 0)
	}
	for i := range v.Count {
		in.Recent = append(in.Recent, prompt.Message{Turn: v.Turns[i], SenderID: "s", Text: v.Texts[i]})
	}
	return in
}

// TestHashChangesExactlyWithItsInputs draws two inputs that differ in any
// number of fields, mostly in few.
func TestHashChangesExactlyWithItsInputs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, other := drawVisible(rt), drawVisible(rt)
		b := a
		switch rapid.IntRange(0, 13).Draw(rt, "field") {
		case 0:
			i := rapid.IntRange(0, 5).Draw(rt, "layer")
			b.Layers[i] = other.Layers[i]
		case 1:
			b.Room = other.Room
		case 2:
			b.Topic = other.Topic
		case 3:
			b.Self = other.Self
		case 4:
			b.A = other.A
		case 5:
			b.B = other.B
		case 6:
			b.State = other.State
		case 7:
			b.Turn, b.Max = other.Turn, other.Max
		case 8:
			b.TTL = other.TTL
		case 9:
			b.Closed = other.Closed
		case 10:
			b.Last = other.Last
		case 11:
			b.Turns, b.Texts, b.Count = other.Turns, other.Texts, other.Count
		case 12:
			b = other
		}
		x, y := prompt.Render(a.input(rt)), prompt.Render(b.input(rt))
		require.Equal(t, a == b, x.Hash == y.Hash)
		require.Equal(t, x, prompt.Render(a.input(rt)))
	})
}

// TestHashIgnoresWhatIsNotShown lists the differences that must not count.
func TestHashIgnoresWhatIsNotShown(t *testing.T) {
	base := prompt.Render(room(t)).Hash
	for name, change := range map[string]func(*prompt.Input){
		"fraction of ttl":      func(in *prompt.Input) { in.TTLAt = in.TTLAt.Add(time.Millisecond) },
		"zone of ttl":          func(in *prompt.Input) { in.TTLAt = in.TTLAt.In(time.FixedZone("", 3600)) },
		"white space of topic": func(in *prompt.Input) { in.Topic = " Tea\n or  coffee? " },
	} {
		in := room(t)
		change(&in)
		require.Equal(t, base, prompt.Render(in).Hash, name)
	}
	in := room(t)
	for range prompt.MemoryMessages {
		in.Recent = append(in.Recent, message(5, "same"))
	}
	full := prompt.Render(in)
	in.Recent = slices.Insert(in.Recent, 0, message(9, "older than the window"))
	require.Equal(t, full, prompt.Render(in))
}

// TestHashIsPerReader: A and B never share one.
func TestHashIsPerReader(t *testing.T) {
	in := room(t)
	a := prompt.Render(in)
	in.SelfAgentID = in.AgentBID
	require.NotEqual(t, a.Hash, prompt.Render(in).Hash)
}
