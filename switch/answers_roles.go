package agentswitch

// Values of RoleChange.Status and ReleasedRole.Status.
const (
	RoleDefined  = "defined"
	RoleEdited   = "edited"
	RoleDeleted  = "deleted"
	RoleReleased = "released"
)

// RoleChange is the result of define_role, edit_role and delete_role.
type RoleChange struct {
	// Status is RoleDefined, RoleEdited or RoleDeleted.
	Status string `json:"status"`
	Name   string `json:"name"`
}

// AssumedRole is the result of assume_role.
type AssumedRole struct {
	Role         string `json:"role"`
	Instructions string `json:"instructions"`
}

// ReleasedRole is the result of release_role.
type ReleasedRole struct {
	// Status is RoleReleased.
	Status string `json:"status"`
}
