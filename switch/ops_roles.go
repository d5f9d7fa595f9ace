package agentswitch

import "context"

type nameArgs struct {
	Name string `json:"name"`
}

// ListRoles returns the roles of the current room and who holds them.
func (c *Client) ListRoles(ctx context.Context) ([]Role, error) {
	return call[[]Role](ctx, c, OpListRoles, nil)
}

// GetRoleDetail returns a role of any room the agent is in, with all its
// instructions.
func (c *Client) GetRoleDetail(ctx context.Context, roomID, roleName string) (RoleDetail, error) {
	return call[RoleDetail](ctx, c, OpGetRoleDetail, struct {
		RoomID   string `json:"room_id"`
		RoleName string `json:"role_name"`
	}{roomID, roleName})
}

// RoleArgs describe a role to be made: the arguments of define_role.
type RoleArgs struct {
	// Name has no white space in it.
	Name         string `json:"name"`
	Instructions string `json:"instructions"`
	// Exclusive: one agent at a time.
	Exclusive bool `json:"exclusive,omitempty"`
}

// DefineRole makes a role in the current room.
func (c *Client) DefineRole(ctx context.Context, role RoleArgs) (RoleChange, error) {
	return call[RoleChange](ctx, c, OpDefineRole, role)
}

// EditRoleArgs are the arguments of edit_role. What is nil stays.
type EditRoleArgs struct {
	Name         string  `json:"name"`
	Instructions *string `json:"instructions,omitempty"`
	Exclusive    *bool   `json:"exclusive,omitempty"`
}

// EditRole changes a role of the current room. Holders keep what they were
// given.
func (c *Client) EditRole(ctx context.Context, args EditRoleArgs) (RoleChange, error) {
	return call[RoleChange](ctx, c, OpEditRole, args)
}

// DeleteRole removes a role of the current room.
func (c *Client) DeleteRole(ctx context.Context, name string) (RoleChange, error) {
	return call[RoleChange](ctx, c, OpDeleteRole, nameArgs{name})
}

// AssumeRole takes a role of the current room and returns its instructions.
// The role is kept by RenewLease.
func (c *Client) AssumeRole(ctx context.Context, role string) (AssumedRole, error) {
	return call[AssumedRole](ctx, c, OpAssumeRole, struct {
		Role string `json:"role"`
	}{role})
}

// ReleaseRole gives up the role that the agent holds, wherever that is.
func (c *Client) ReleaseRole(ctx context.Context) (ReleasedRole, error) {
	return call[ReleasedRole](ctx, c, OpReleaseRole, nil)
}
