package core

import "time"

// UserSetEvent: a person may sign in, or what is known of one changed. It carries the whole record.
type UserSetEvent struct {
	User
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *UserSetEvent) Kind() Kind                 { return UserSet }
func (e *UserSetEvent) parts() (body, content any) { return e, nil }

// UserDeletedEvent: a person may no longer sign in, and every key of theirs is dead.
type UserDeletedEvent struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *UserDeletedEvent) Kind() Kind                 { return UserDeleted }
func (e *UserDeletedEvent) parts() (body, content any) { return e, nil }

// UserKeyAddedEvent: a person signed in, or made a token.
type UserKeyAddedEvent struct {
	Hash string `json:"hash"`
	UserKey
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *UserKeyAddedEvent) Kind() Kind                 { return UserKeyAdded }
func (e *UserKeyAddedEvent) parts() (body, content any) { return e, nil }

// UserKeyRemovedEvent: a session or token of a person ended.
type UserKeyRemovedEvent struct {
	Hash string `json:"hash"`
	By   string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *UserKeyRemovedEvent) Kind() Kind                 { return UserKeyRemoved }
func (e *UserKeyRemovedEvent) parts() (body, content any) { return e, nil }

// User is a person who looks after agents, or after the whole gateway. A record is never changed in place.
type User struct {
	ID string `json:"id"`
	// Name is what the person signs in with. Registration tokens and agents whose owner has this name are the person's.
	Name string `json:"name"`
	// PasswordHash is in the form of the program's password package, never the password; empty: there is none, and only a
	// token signs in.
	PasswordHash string `json:"password_hash,omitempty"`
	// Admin sees and changes everything, also what belongs to others.
	Admin bool `json:"admin,omitempty"`
	// Agent is the participant as which the person speaks and acts in rooms, empty until it first does. Nobody has its key.
	Agent     string    `json:"agent,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// UserKeyKind says what a person's key is.
type UserKeyKind string

// The kinds of keys: a session is a browser's, a token a program's.
const (
	UserSession UserKeyKind = "session"
	UserToken   UserKeyKind = "token"
)

// UserKey is what is known of a session or token.
type UserKey struct {
	// ID names it and opens nothing.
	ID   string      `json:"id"`
	User string      `json:"user"`
	What UserKeyKind `json:"what"`
	// Label is what its maker calls it.
	Label     string    `json:"label,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// Until is when it ends; zero: it does not end by itself.
	Until time.Time `json:"until"`
}
