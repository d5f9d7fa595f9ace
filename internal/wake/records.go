package wake

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"stele/areyouai"
)

// Files and directories below the base directory.
const (
	configFile  = "config.json"
	sessionFile = "session.json"
	stateFile   = "state.json"
	wakesDir    = "wakes"
	tokensDir   = "tokens"
)

// Session is session.json: what opens the server. An agent that was woken may use it to mint a new room token.
type Session struct {
	// APIBaseURL is the server the credentials are for; no other one ever gets them.
	APIBaseURL string `json:"api_base_url"`
	// APIKey is there after a login with this folder; empty when the key is given to every run.
	APIKey       string `json:"api_key,omitempty"`
	SessionToken string `json:"session_token"`
	AgentID      string `json:"agent_id,omitempty"`
	// KeyMark tells whether another key has come into use, whose agent the session would not be.
	KeyMark   string        `json:"key_mark,omitempty"`
	UpdatedAt areyouai.Time `json:"updated_at"`
}

// keyMark is a short hash of a key. Keys are long and random, so that nothing can be learned from it.
func keyMark(key string) string {
	sum := sha256.Sum256([]byte("stele wake key\n" + key))
	return hex.EncodeToString(sum[:8])
}

// StreamStatus is what the sidecar does with the agent stream.
type StreamStatus string

// States of the agent stream.
const (
	StreamConnecting StreamStatus = "connecting"
	StreamConnected  StreamStatus = "connected"
	StreamRecovering StreamStatus = "recovering"
	StreamWaiting    StreamStatus = "waiting"
	StreamStopped    StreamStatus = "stopped"
)

// State is state.json: where the sidecar stands in the agent stream.
type State struct {
	// APIBaseURL and AgentID are whose deliveries these were. When one of them changes, nothing in the folder counts.
	APIBaseURL string `json:"api_base_url"`
	AgentID    string `json:"agent_id,omitempty"`
	// LastAcknowledgedDeliveryID is the cursor; empty before the first acknowledgement and after a recovery.
	LastAcknowledgedDeliveryID string         `json:"last_acknowledged_delivery_id"`
	LastAcknowledgedAt         *areyouai.Time `json:"last_acknowledged_at"`
	LastConnectedAt            *areyouai.Time `json:"last_connected_at"`
	StreamStatus               StreamStatus   `json:"last_stream_status"`
	// LastError is why the stream is not connected, without any secret.
	LastError string `json:"last_error,omitempty"`
	// LastRecoveredAt is the last time the server was asked which rooms wait; null asks for it at the next start.
	LastRecoveredAt *areyouai.Time `json:"last_recovered_at"`
}

// Stage is how far a wake has come.
type Stage string

// Stages of a wake, in their order. A failed call goes back to queued; an accepted one that nobody answered, too.
const (
	// StageQueued waits for its time to call the hook.
	StageQueued Stage = "queued"
	// StageCalling is inside the hook. One that is found like this at a start may or may not have reached it.
	StageCalling Stage = "calling"
	// StageAccepted is in the agent's hands, which has until DueAt to answer.
	StageAccepted Stage = "accepted"
	// StageDone is over: the turn moved on. It is kept so that a repeated delivery of it wakes nobody.
	StageDone Stage = "done"
)

// Wake is one file in wakes: the newest turn of a room for which the agent was to be woken.
type Wake struct {
	RoomID  string `json:"room_id"`
	Turn    int64  `json:"next_turn"`
	ActorID string `json:"next_actor_id"`

	DeliveryID string             `json:"delivery_id"`
	AgentID    string             `json:"agent_id"`
	RoomState  areyouai.RoomState `json:"room_state"`
	Reason     areyouai.Reason    `json:"reason"`
	OccurredAt areyouai.Time      `json:"occurred_at"`

	Stage Stage `json:"stage"`
	// Round is 1, and one more each time an accepted wake stayed without answer.
	Round int `json:"round"`
	// Attempts counts the hook calls of this round.
	Attempts int `json:"attempts"`
	// Failures counts what went wrong in a row, calls to the server included; the pause grows with it.
	Failures int `json:"failures"`
	// DueAt is the next call of a queued wake and the end of patience for an accepted one.
	DueAt areyouai.Time `json:"due_at"`
	// LastError is why the last call failed, without any secret.
	LastError string        `json:"last_error,omitempty"`
	QueuedAt  areyouai.Time `json:"queued_at"`
	UpdatedAt areyouai.Time `json:"updated_at"`

	// unsure tells that the room may have moved on since the wake was heard of.
	unsure bool
}

// due is DueAt, or now when the clock was set back since it was reckoned: the pause may be of any length then.
func (w *Wake) due(now time.Time) time.Time {
	if now.Before(w.UpdatedAt.Time) {
		return now
	}
	return w.DueAt.Time
}

// key names the turn: two deliveries with one key are one wake. Source: contract, "Frame handling".
func (w *Wake) key() string {
	return w.RoomID + "\x00" + strconv.FormatInt(w.Turn, 10) + "\x00" + w.ActorID
}

// same tells whether two wakes are one call to make: the same turn, and the same round of it.
func (w *Wake) same(o *Wake) bool { return w.key() == o.key() && w.Round == o.Round }

// id is the same for every attempt of a round, so that a hook can tell a repeat from a new wake.
func (w *Wake) id() string {
	sum := sha256.Sum256([]byte(w.key()))
	return fmt.Sprintf("wake_%s_%d", hex.EncodeToString(sum[:12]), w.Round)
}

// check refuses a file that was tampered with or half repaired by hand.
func (w *Wake) check() error {
	switch w.Stage {
	case StageQueued, StageCalling, StageAccepted, StageDone:
	default:
		return fmt.Errorf("unknown stage %q", w.Stage)
	}
	if w.RoomID == "" || w.Turn < 0 || w.Round < 1 || w.Attempts < 0 || w.Failures < 0 {
		return errors.New("room_id, next_turn, round, attempts or failures has an impossible value")
	}
	return nil
}

// Token is one file in tokens: what a woken agent opens its room with. The fields are those of the protocol's own
// sidecar, and the server's address.
type Token struct {
	RoomID     string        `json:"room_id"`
	AgentID    string        `json:"agent_id"`
	Token      string        `json:"token"`
	ExpiresAt  areyouai.Time `json:"expires_at"`
	Scope      string        `json:"scope"`
	APIBaseURL string        `json:"api_base_url"`
	UpdatedAt  areyouai.Time `json:"updated_at"`
}
