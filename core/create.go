package core

import (
	"slices"
	"strings"
	"time"
)

// CreateRoom begins a room. The zero value of each optional field is the default named.
type CreateRoom struct {
	// ID of the new room; empty: a fresh one.
	ID string
	// Facts and Texts describe it. ID, State and the human code in them are set by the decision; Floor defaults to open,
	// ChannelType to "channel_public", both visibilities to "public".
	Facts RoomFacts
	Texts RoomTexts
	// Members join at once, in this order. In a turns room the first holds side a, the second side b, and others watch.
	Members []NewMember
	// References are ids of references that show in the room. The owner in Facts must be allowed to read each.
	References []string
	// HumanCodeHash, if set, is the SHA-256 of the code for people, valid for as long as the node's [Lives] say.
	HumanCodeHash string
	// TTL, if above 0, closes the room that long after its creation.
	TTL time.Duration
}

// NewMember is an agent about to join.
type NewMember struct{ Agent, Name, Handle, Alias string }

// RoomMade is the answer to CreateRoom, CreateListing and ConnectListing.
type RoomMade struct {
	Room      string    `json:"room"`
	Listing   string    `json:"listing,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	State     RoomState `json:"state"`
	Sides     [2]string `json:"sides"`
	Next      string    `json:"next,omitempty"`
}

var channelTypes = []string{"channel_public", "channel_private", "direct", "group", "lobby"}

func (c CreateRoom) decide(r *Room, env Env) ([]Payload, RoomMade, error) {
	if r.Exists() {
		return nil, RoomMade{}, ErrRoomExists
	}
	f := c.Facts
	if err := c.normalise(&f); err != nil {
		return nil, RoomMade{}, err
	}
	f.ID = c.ID
	f.State = StateActive
	if f.Floor == FloorTurns && len(c.Members) < 2 {
		f.State = StateOpen
	}
	if c.TTL > 0 {
		f.TTLAt = env.Now.Add(c.TTL)
	}
	if c.HumanCodeHash != "" {
		f.HumanCodeHash, f.HumanCodeUntil = c.HumanCodeHash, env.Now.Add(env.Lives.HumanCode)
	}
	events := []Payload{&RoomCreatedEvent{RoomFacts: f, RoomTexts: c.Texts}}
	made := RoomMade{Room: f.ID, CreatedAt: env.Now, State: f.State}
	if f.Listing != nil {
		made.Listing = f.Listing.ID
	}
	for i, m := range c.Members {
		joined := &MemberJoinedEvent{Agent: m.Agent, Name: m.Name, Handle: m.Handle, Alias: m.Alias, Listeners: f.Listeners}
		if f.Floor == FloorTurns && i < 2 {
			joined.Side = [2]string{"a", "b"}[i]
			made.Sides[i] = m.Agent
		}
		events = append(events, joined)
	}
	shown, err := attached(f.Creator, c.References)
	if err != nil {
		return nil, RoomMade{}, err
	}
	events = append(events, shown...)
	if f.Floor == FloorTurns {
		made.Next = made.Sides[0]
	}
	return events, made, nil
}

// normalise fills the defaults and checks what the fields say together.
func (c CreateRoom) normalise(f *RoomFacts) error {
	setDefault(&f.Floor, FloorOpen)
	setDefault(&f.ChannelType, "channel_public")
	setDefault(&f.ReadVisibility, "public")
	setDefault(&f.WriteVisibility, "public")
	if err := checkRoomName(f.Name); err != nil {
		return err
	}
	if !slices.Contains(channelTypes, f.ChannelType) {
		return &InvalidError{Field: "channel_type", Reason: "must be one of " + strings.Join(channelTypes, ", ")}
	}
	if err := checkVisibility(f.ReadVisibility, f.WriteVisibility); err != nil {
		return err
	}
	if err := checkBytes("security_config", string(f.SecurityConfig), MaxSecurityConfigBytes); err != nil {
		return err
	}
	if err := c.Texts.check(); err != nil {
		return err
	}
	return checkNames(c.Members, c.Texts.Roles)
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

func checkVisibility(read, write string) error {
	for field, v := range map[string]string{"read_visibility": read, "write_visibility": write} {
		if v != "public" && v != "private" {
			return &InvalidError{Field: field, Reason: `must be "public" or "private"`}
		}
	}
	if read == "private" && write == "public" {
		return &InvalidError{Field: "write_visibility", Reason: "cannot be public while read_visibility is private"}
	}
	return nil
}

// checkNames makes sure that in a new room every name stands for one thing.
func checkNames(members []NewMember, roles []RoleDef) error {
	names := nameUses{}
	for _, m := range members {
		names.put(m.Handle, useHandle)
	}
	for _, role := range roles {
		if err := names.addRole("roles", role.Name); err != nil {
			return err
		}
	}
	for _, m := range members {
		if m.Alias == "" {
			continue
		}
		if err := names.addAlias(m.Alias, m.Handle); err != nil {
			return err
		}
	}
	return nil
}
