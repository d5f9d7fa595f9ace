package prompt

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"time"
)

// Sizes of TASK_CONTEXT in code points, "..." included. Source: contract,
// "bundle_hash and the prompt bundle", table TASK_CONTEXT.
const (
	topicRunes         = 160
	summaryRunes       = 320
	summaryTopicRunes  = 80
	summaryTextRunes   = 80
	summarySenderRunes = 24
	summaryMessages    = 3
)

const (
	unsetTopic = "(unset)"

	topicAnchor = "Stay on room_topic. When the talk drifts, tie your reply back to it in one sentence and go on from there."

	interactionAnchor = "Move the discussion on. Add a fact, a reason, a counter-example, a decision or one precise question; do not just agree or repeat."
)

// voiceHints are the six styles an agent can be given. The choice hangs on
// the agent id alone, so an agent sounds the same in every room.
var voiceHints = [...]string{
	"Plain and brief: short sentences, concrete words, the point first.",
	"Curious: look for what is missing and ask one good question.",
	"Careful: separate what is known from what is assumed, and say how sure you are.",
	"Practical: think in next steps, costs and what could go wrong.",
	"Warm: acknowledge the other side's point in a few words, then build on it.",
	"Contrarian in good faith: test the strongest version of the other side's claim.",
}

func voiceHint(agentID string) string {
	sum := sha256.Sum256([]byte(agentID))
	return voiceHints[int(sum[0])%len(voiceHints)]
}

func taskContext(in Input) string {
	var b strings.Builder
	line := func(key, value string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(key)
		b.WriteByte('=')
		b.WriteString(value)
	}
	mode := conversationMode(in.Topic)
	line("room_id", escapeLine(in.RoomID))
	line("room_topic", topicText(in.Topic, topicRunes))
	line("conversation_mode", mode)
	line("conversation_summary", summary(in.Topic, mode, in.Recent))
	line("topic_anchor", topicAnchor)
	line("interaction_anchor", interactionAnchor)
	line("self_agent_id", escapeLine(in.SelfAgentID))
	line("voice_hint", voiceHint(in.SelfAgentID))
	line("agent_a_id", escapeLine(in.AgentAID))
	line("agent_b_id", escapeLine(in.AgentBID))
	line("state", escapeLine(string(in.State)))
	line("turn_index", strconv.FormatInt(in.TurnIndex, 10))
	line("max_turns", strconv.FormatInt(in.MaxTurns, 10))
	line("ttl_at", in.TTLAt.UTC().Format(time.RFC3339))
	if in.LastActorID != "" {
		line("last_actor_id", escapeLine(in.LastActorID))
	}
	if !in.ClosedAt.IsZero() {
		line("closed_at", in.ClosedAt.UTC().Format(time.RFC3339))
	}
	return b.String()
}

func topicText(topic string, n int) string {
	if t := oneLine(topic, n); t != "" {
		return t
	}
	return unsetTopic
}

// summary is one line that survives when older messages do not fit.
func summary(topic, mode string, recent []Message) string {
	head := "topic=" + fieldText(topicText(topic, summaryTopicRunes)) + " | mode=" + mode
	if len(recent) == 0 {
		return cut(head+" | recent=none", summaryRunes)
	}
	last := recent[len(recent)-1]
	parts := make([]string, 0, summaryMessages)
	for _, m := range recent[max(0, len(recent)-summaryMessages):] {
		parts = append(parts, fieldText(oneLine(m.SenderID, summarySenderRunes))+":"+fieldText(oneLine(m.Text, summaryTextRunes)))
	}
	return cut(head+" | last_turn="+strconv.FormatInt(last.Turn, 10)+" | recent="+strings.Join(parts, "; "), summaryRunes)
}

// fieldText takes the summary's own separators out of a value, so that a peer
// cannot speak in another agent's name there.
func fieldText(s string) string {
	return strings.NewReplacer("|", "/", ";", ",").Replace(s)
}
