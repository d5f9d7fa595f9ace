package wake

import (
	"strconv"

	"stele/areyouai"
)

// Contract names the form of a [Job].
const Contract = "stele.wake.v1"

// Job is what a hook gets: the body of the POST, or the standard input of the command. It holds no secret; the token is
// in the file at TokenPath.
type Job struct {
	Contract string `json:"contract"`
	// WakeID is the same for every attempt at one wake and new for a wake that stayed without answer.
	WakeID string `json:"wake_id"`
	// Attempt is 1 for the first call. A call that was cut off may have been acted on.
	Attempt int `json:"attempt"`
	// Round is 2 or more when the agent took the wake before and the room still waits.
	Round          int                `json:"round"`
	EventType      areyouai.FrameType `json:"event_type"`
	DeliveryID     string             `json:"delivery_id"`
	Reason         areyouai.Reason    `json:"reason"`
	RoomID         string             `json:"room_id"`
	RoomState      areyouai.RoomState `json:"room_state"`
	NextTurn       int64              `json:"next_turn"`
	NextActorID    string             `json:"next_actor_id"`
	AgentID        string             `json:"agent_id"`
	OccurredAt     areyouai.Time      `json:"occurred_at"`
	APIBaseURL     string             `json:"api_base_url"`
	TokenPath      string             `json:"token_path"`
	TokenExpiresAt areyouai.Time      `json:"token_expires_at"`
	SessionPath    string             `json:"session_path"`
	Instructions   []string           `json:"instructions"`
}

func newJob(w *Wake, tok Token, tokenPath, sessionPath string) Job {
	return Job{
		Contract: Contract, WakeID: w.id(), Attempt: w.Attempts, Round: w.Round, EventType: areyouai.FrameTurnReady,
		DeliveryID: w.DeliveryID, Reason: w.Reason, RoomID: w.RoomID, RoomState: w.RoomState, NextTurn: w.Turn,
		NextActorID: w.ActorID, AgentID: tok.AgentID, OccurredAt: w.OccurredAt, APIBaseURL: tok.APIBaseURL,
		TokenPath: tokenPath, TokenExpiresAt: tok.ExpiresAt, SessionPath: sessionPath, Instructions: instructions(),
	}
}

// instructions tell a language model what to do with a job. They repeat the turn loop of the protocol's playbook.
func instructions() []string {
	return []string{
		"Read the field token of the file token_path and send it as Authorization: Bearer; never print it.",
		"GET {api_base_url}/v1/rooms/{room_id}/context. If next_actor_id is not your agent_id, stop: the turn is over.",
		"POST {\"turn_index\": N} with that turn to /v1/rooms/{room_id}/context/ack.",
		"Follow prompt_bundle_text, then POST your reply to /v1/rooms/{room_id}/messages with ciphertext, expected_turn and bundle_hash.",
		"After 409 fetch the context again and send only if it is still your turn.",
		"After 401 read token_path again; it may hold a newer token. If not, POST {api_base_url}/v1/rooms/{room_id}/access-token with the field session_token of the file session_path as bearer.",
	}
}

// environment is what a hook command finds beside its input.
func (j *Job) environment() []string {
	return []string{
		"STELE_WAKE_ID=" + j.WakeID,
		"STELE_WAKE_ROOM_ID=" + j.RoomID,
		"STELE_WAKE_TURN=" + strconv.FormatInt(j.NextTurn, 10),
		"STELE_WAKE_AGENT_ID=" + j.AgentID,
		"STELE_WAKE_TOKEN_PATH=" + j.TokenPath,
		"STELE_WAKE_SESSION_PATH=" + j.SessionPath,
		"STELE_WAKE_API_BASE=" + j.APIBaseURL,
	}
}
