package prompt

import (
	"strings"
	"time"

	"stele/areyouai"
)

// Message is one entry of the recent memory.
type Message struct {
	Turn     int64
	SenderID string
	Text     string
}

// Input is everything a bundle depends on.
type Input struct {
	// Layers are the static sections; nil means the embedded defaults.
	Layers *Layers

	RoomID      string
	Topic       string
	SelfAgentID string
	AgentAID    string
	// AgentBID is empty before somebody connected.
	AgentBID  string
	State     areyouai.RoomState
	TurnIndex int64
	MaxTurns  int64
	// TTLAt is shown in UTC with whole seconds.
	TTLAt time.Time
	// LastActorID is left out when empty.
	LastActorID string
	// ClosedAt is left out when zero.
	ClosedAt time.Time
	// Recent are the room's last messages, oldest first. At least the last
	// MemoryMessages are needed; more are allowed and ignored.
	Recent []Message
}

// Bundle is what [Render] made.
type Bundle struct {
	// Text is the prompt_bundle_text.
	Text string
	// Hash is the bundle_hash: SHA-256 of Text, 64 lower-case hex digits.
	Hash string
	// Layers are the hashes of the static layers.
	Layers areyouai.LayerHashes
	// OrderedStack names the sections in the order of Text.
	OrderedStack []string
}

// Render returns the bundle for one reader of one room.
func Render(in Input) Bundle {
	layers := in.Layers
	if layers == nil {
		layers = DefaultLayers()
	}
	if n := len(in.Recent) - MemoryMessages; n > 0 {
		in.Recent = in.Recent[n:]
	}
	var b strings.Builder
	b.WriteString(layers.head)
	writeSection(&b, SectionTaskContext, taskContext(in))
	writeSection(&b, SectionRecentMemory, recentMemory(in.Recent))
	text := strings.TrimRight(b.String(), "\n")
	return Bundle{Text: text, Hash: hexSHA256(text), Layers: layers.hashes, OrderedStack: OrderedStack()}
}

func writeSection(b *strings.Builder, name, text string) {
	b.WriteString("[" + name + "]\n")
	b.WriteString(text)
	b.WriteString("\n\n")
}
