package core

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what people write about a room.
const (
	// MaxRoomNameCharacters bounds a room's name: the longest topic that a listing may have.
	MaxRoomNameCharacters = 1024
	// MaxRoomDescriptionBytes bounds the description of a room.
	MaxRoomDescriptionBytes = 16 << 10
	// MaxRoomInstructionsBytes bounds the instructions of a room, and those of each of its roles.
	MaxRoomInstructionsBytes = 64 << 10
	// MaxSecurityConfigBytes bounds a room's security configuration, as JSON.
	MaxSecurityConfigBytes = 16 << 10
	// MaxLabelCharacters bounds what is written on a link.
	MaxLabelCharacters = 1000
	// MaxRoles and MaxLinks are how many roles and links a room can have.
	MaxRoles = 256
	MaxLinks = 1000
)

// checkCharacters refuses a text of more than a number of Unicode characters.
func checkCharacters(field, text string, most int) error {
	if n := utf8.RuneCountInString(text); n > most {
		return &TooLongError{Field: field, Unit: "characters", Max: most, Got: n}
	}
	return nil
}

func checkRoomName(name string) error {
	if strings.TrimSpace(name) == "" {
		return &InvalidError{Field: "name", Reason: "must not be blank"}
	}
	return checkCharacters("name", name, MaxRoomNameCharacters)
}

// checkBytes refuses a text of more than a number of bytes.
func checkBytes(field, text string, most int) error {
	if len(text) > most {
		return &TooLongError{Field: field, Unit: "bytes", Max: most, Got: len(text)}
	}
	return nil
}

// firstError is the first of several checks that failed.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// check makes sure that a new room's roles and links are within bounds and lead where they say.
func (t RoomTexts) check() error {
	if err := firstError(
		checkBytes("description", t.Description, MaxRoomDescriptionBytes),
		checkBytes("instructions", t.Instructions, MaxRoomInstructionsBytes),
	); err != nil {
		return err
	}
	if len(t.Roles) > MaxRoles {
		return full("roles", "roles", MaxRoles)
	}
	for _, role := range t.Roles {
		if err := checkBytes("roles", role.Instructions, MaxRoomInstructionsBytes); err != nil {
			return err
		}
	}
	if len(t.Links) > MaxLinks {
		return full("linked_rooms", "links", MaxLinks)
	}
	seen := map[string]bool{}
	for _, l := range t.Links {
		if err := checkLabel("linked_rooms", l.Label); err != nil {
			return err
		}
		if seen[l.Target] {
			return &InvalidError{Field: "linked_rooms", Reason: "a room is linked twice"}
		}
		seen[l.Target] = true
	}
	return nil
}
