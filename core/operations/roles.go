package operations

import "stele/core"

// Role is a role of a room, with the beginning of its instructions.
type Role struct {
	Name                string   `json:"name"`
	Exclusive           bool     `json:"exclusive"`
	HeldBy              []Holder `json:"held_by"`
	AssumableByMe       bool     `json:"assumable_by_me"`
	InstructionsPreview string   `json:"instructions_preview"`
}

// Holder is an agent that holds a role.
type Holder struct {
	Name        string  `json:"name"`
	PresentHere bool    `json:"present_here"`
	SessionRoom *string `json:"session_room"`
}

// previewCharacters is how much of a role's instructions a list shows (Switch protocol: 200 characters).
const previewCharacters = 200

// rolesOf shows the roles of a room.
func rolesOf(v *core.Room) []Role {
	out := make([]Role, len(v.Roles))
	for i, role := range v.Roles {
		out[i] = Role{
			Name: role.Name, Exclusive: role.Exclusive, HeldBy: []Holder{}, AssumableByMe: true,
			InstructionsPreview: firstCharacters(role.Instructions, previewCharacters),
		}
	}
	return out
}

func firstCharacters(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
