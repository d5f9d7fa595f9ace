package wake

import (
	"context"
	"sync"
	"time"

	"stele/areyouai"
)

// tokens keeps the file of each room's token. A mint revokes the room's previous token, so that mint and write are one
// step under mu: the file never holds the older of two.
type tokens struct {
	dir    *folder
	client *areyouai.Client
	base   string
	now    func() time.Time
	mu     sync.Mutex
}

// path is where an agent finds the token.
func (t *tokens) path(roomID string) string { return t.dir.path(fileOf(tokensDir, roomID)) }

// mint gets a new token and writes its file.
func (t *tokens) mint(ctx context.Context, roomID string) (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mintLocked(ctx, roomID)
}

func (t *tokens) mintLocked(ctx context.Context, roomID string) (Token, error) {
	got, err := t.client.AccessToken(ctx, roomID)
	if err != nil {
		return Token{}, err
	}
	tok := Token{RoomID: roomID, AgentID: got.AgentID, Token: got.Token, ExpiresAt: got.ExpiresAt, Scope: got.Scope}
	return tok, t.writeLocked(&tok)
}

func (t *tokens) writeLocked(tok *Token) error {
	tok.APIBaseURL, tok.UpdatedAt = t.base, areyouai.NewTime(t.now())
	return t.dir.write(fileOf(tokensDir, tok.RoomID), tok)
}

// fresh returns the room's token, minted anew when the file's has refreshAt or less to live by either clock, cannot be
// read, or is gone.
func (t *tokens) fresh(ctx context.Context, roomID string) (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var have Token
	err := t.dir.read(fileOf(tokensDir, roomID), &have)
	now := t.now()
	// Its end is by the server's clock and its age by ours: where the two differ, the earlier counts.
	age := now.Sub(have.UpdatedAt.Time)
	if err == nil && have.RoomID == roomID && have.Token != "" && have.ExpiresAt.Sub(now) > refreshAt &&
		age >= 0 && age < areyouai.RoomTokenTTL-refreshAt {
		return have, nil
	}
	return t.mintLocked(ctx, roomID)
}

// remove deletes a room's file.
func (t *tokens) remove(roomID string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dir.remove(fileOf(tokensDir, roomID))
}

// clear deletes every file.
func (t *tokens) clear() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	names, err := t.dir.list(tokensDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := t.dir.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// actionable asks which rooms wait and writes down their tokens, of which the answer brings new ones.
func (t *tokens) actionable(ctx context.Context) (areyouai.ActionableReply, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	got, err := t.client.ActionableRooms(ctx)
	if err != nil {
		return areyouai.ActionableReply{}, err
	}
	for _, room := range got.Actionable {
		tok := Token{
			RoomID: room.RoomID, AgentID: room.AgentID, Token: room.Token, ExpiresAt: room.ExpiresAt,
			Scope: areyouai.ScopeRoomAutomation,
		}
		if tok.AgentID == "" {
			tok.AgentID = room.NextActorID
		}
		if err := t.writeLocked(&tok); err != nil {
			return areyouai.ActionableReply{}, err
		}
	}
	return got, nil
}
