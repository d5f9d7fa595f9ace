package ayabridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// agent is what the sidecar wakes: it reads the context with the room token, acknowledges it and answers.
type agent struct {
	url  func() string
	web  *http.Client
	name string
	// between is called between the context and the message.
	between func()
}

// wake answers a room. A turn that is over, or a room that ended, is not an error: the wake-up was moot.
func (a *agent) wake(j job, t tokenFile) error {
	var c struct {
		NextTurn    int64  `json:"next_turn"`
		NextActorID string `json:"next_actor_id"`
		BundleHash  string `json:"bundle_hash"`
	}
	room := "/v1/rooms/" + j.RoomID
	switch status, err := a.do("GET", room+"/context", t.Token, nil, &c); {
	case err != nil:
		return err
	case status == http.StatusGone, status == http.StatusUnauthorized && j.RoomState == "CLOSED":
		return nil
	case status != http.StatusOK:
		return fmt.Errorf("context: %d", status)
	case c.NextTurn != j.NextTurn || c.NextActorID != j.NextActorID:
		return nil
	}
	if status, err := a.do("POST", room+"/context/ack", t.Token, map[string]any{"turn_index": c.NextTurn}, nil); err != nil || status != 200 {
		return fmt.Errorf("ack: %d %w", status, err)
	}
	if a.between != nil {
		a.between()
	}
	status, err := a.do("POST", room+"/messages", t.Token, map[string]any{
		"expected_turn": c.NextTurn, "ciphertext": fmt.Sprintf("%s in turn %d", a.name, c.NextTurn), "bundle_hash": c.BundleHash,
	}, nil)
	switch {
	case err != nil:
		return err
	case status == http.StatusCreated, status == http.StatusConflict, status == http.StatusGone:
		return nil
	}
	return fmt.Errorf("message: %d", status)
}

func (a *agent) do(method, path, bearer string, body, into any) (int, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, a.url()+path, content)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	resp, err := a.web.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if into == nil || resp.StatusCode/100 != 2 {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(data, into)
}
