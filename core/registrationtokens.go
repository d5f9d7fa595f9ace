package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// TokenPrefix and minTokenDigits are the form of a registration token's id: the beginning of its hash.
const (
	TokenPrefix    = "tok_"
	minTokenDigits = 12
)

// TokenInfo is what is known of a registration token. The token itself is known to whoever was given it, and nowhere else.
type TokenInfo struct {
	// ID begins with TokenPrefix; it names the token and does not open anything.
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	CreatedAt time.Time `json:"created_at"`
}

// NewRegistrationToken makes a token with which an owner registers agents, as many as it likes, until it is revoked.
// Errors: *[InvalidError] for an owner that is none.
func (n *Node) NewRegistrationToken(ctx context.Context, owner string) (token string, err error) {
	token = n.ids.Secret("", tokenBytes)
	return token, n.AddRegistrationToken(ctx, owner, token)
}

// AddRegistrationToken lets an owner register agents with a token of the caller's choice; repeating it changes nothing.
// Errors: *[InvalidError] for an owner that is none.
func (n *Node) AddRegistrationToken(ctx context.Context, owner, token string) error {
	_, _, err := propose(ctx, n.directory, addToken{owner: owner, hash: HashSecret(token), by: actorOf(ctx)}, nil)
	return err
}

// HasRegistrationTokens tells whether anybody can register agents.
func (n *Node) HasRegistrationTokens() (has bool) {
	n.directory.view(func(d *Directory) { has = len(d.Tokens) > 0 })
	return has
}

// HadRegistrationTokens tells whether anybody ever could: a gateway whose tokens were all revoked is closed on purpose.
func (n *Node) HadRegistrationTokens() (had bool) {
	n.directory.view(func(d *Directory) { had = d.Opened || len(d.Tokens) > 0 })
	return had
}

// RegistrationTokens lists the registration tokens, oldest first.
func (n *Node) RegistrationTokens() (out []TokenInfo) {
	n.directory.view(func(d *Directory) {
		for hash, id := range d.tokenIDs() {
			out = append(out, TokenInfo{ID: id, Owner: d.Tokens[hash].Owner, CreatedAt: d.Tokens[hash].CreatedAt})
		}
	})
	slices.SortFunc(out, func(a, b TokenInfo) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// TokenInfo tells what is known of a registration token. Errors: [ErrNoToken].
func (n *Node) TokenInfo(token string) (info TokenInfo, err error) {
	hash := HashSecret(token)
	err = ErrNoToken
	n.directory.view(func(d *Directory) {
		if t, ok := d.Tokens[hash]; ok {
			info, err = TokenInfo{ID: d.tokenIDs()[hash], Owner: t.Owner, CreatedAt: t.CreatedAt}, nil
		}
	})
	return info, err
}

// RevokeTokens makes registration tokens invalid at once, all of them or none; agents made with them live on. Errors:
// [ErrNoToken], wrapped with the id.
func (n *Node) RevokeTokens(ctx context.Context, ids ...string) error {
	_, _, err := propose(ctx, n.directory, revokeTokens{ids: ids, by: actorOf(ctx)}, nil)
	return err
}

// addToken lets whoever holds the token register agents for an owner; a token that is known already is left as it is.
type addToken struct{ owner, hash, by string }

func (c addToken) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	if err := checkOwner(c.owner); err != nil {
		return nil, struct{}{}, err
	}
	if _, known := d.Tokens[c.hash]; known {
		return nil, struct{}{}, nil
	}
	return []Payload{&TokenCreatedEvent{Owner: c.owner, Hash: c.hash, By: c.by}}, struct{}{}, nil
}

func checkOwner(owner string) error {
	switch {
	case strings.TrimSpace(owner) != owner || owner == "":
		return &InvalidError{Field: "owner", Reason: "must not be empty, or begin or end with white space"}
	case utf8.RuneCountInString(owner) > MaxNameCharacters:
		return &InvalidError{Field: "owner", Reason: fmt.Sprintf("must have at most %d characters", MaxNameCharacters)}
	case !utf8.ValidString(owner) || strings.ContainsFunc(owner, unicode.IsControl):
		return &InvalidError{Field: "owner", Reason: "must be text without control characters"}
	}
	return nil
}

// revokeTokens ends registration tokens, named by their ids.
type revokeTokens struct {
	ids []string
	by  string
}

func (c revokeTokens) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	byID := make(map[string]string, len(d.Tokens))
	for hash, id := range d.tokenIDs() {
		byID[id] = hash
	}
	var events []Payload
	seen := map[string]bool{}
	for _, id := range c.ids {
		hash, known := byID[id]
		if !known {
			return nil, struct{}{}, fmt.Errorf("%w: %q", ErrNoToken, id)
		}
		if !seen[id] {
			seen[id] = true
			events = append(events, &TokenRevokedEvent{Hash: hash, By: c.by})
		}
	}
	return events, struct{}{}, nil
}

// tokenIDs names every token by the shortest beginning of its hash that no other token has.
func (d *Directory) tokenIDs() map[string]string {
	hashes := slices.Sorted(maps.Keys(d.Tokens))
	ids := make(map[string]string, len(hashes))
	for i, hash := range hashes {
		digits := minTokenDigits
		if i > 0 {
			digits = max(digits, 1+common(hash, hashes[i-1]))
		}
		if i+1 < len(hashes) {
			digits = max(digits, 1+common(hash, hashes[i+1]))
		}
		ids[hash] = TokenPrefix + hash[:min(digits, len(hash))]
	}
	return ids
}

// common is the length of what two texts begin with both.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
