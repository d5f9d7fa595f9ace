package agentswitch

import "context"

// ListLinkedRooms returns where the current room points.
func (c *Client) ListLinkedRooms(ctx context.Context) ([]LinkedRoom, error) {
	return call[[]LinkedRoom](ctx, c, OpListLinkedRooms, nil)
}

// LinkRooms makes a room point at another. The answer has no Access.
func (c *Client) LinkRooms(ctx context.Context, sourceRoomID, targetRoomID, label string) (LinkedRoom, error) {
	return call[LinkedRoom](ctx, c, OpLinkRooms, struct {
		SourceRoomID string `json:"source_room_id"`
		TargetRoomID string `json:"target_room_id"`
		Label        string `json:"label"`
	}{sourceRoomID, targetRoomID, label})
}

// UnlinkRooms removes such a pointer.
func (c *Client) UnlinkRooms(ctx context.Context, sourceRoomID, targetRoomID string) error {
	return c.Call(ctx, OpUnlinkRooms, struct {
		SourceRoomID string `json:"source_room_id"`
		TargetRoomID string `json:"target_room_id"`
	}{sourceRoomID, targetRoomID}, nil)
}

// ListRoomGroups returns the folders that rooms can be filed in.
func (c *Client) ListRoomGroups(ctx context.Context) ([]GroupRow, error) {
	return call[[]GroupRow](ctx, c, OpListRoomGroups, nil)
}

// CreateGroupArgs are the arguments of create_room_group.
type CreateGroupArgs struct {
	Name        string  `json:"name"`
	Description *string `json:"description,omitempty"`
	Color       *string `json:"color,omitempty"`
	// ParentGroupName is the exact name of one existing group.
	ParentGroupName *string `json:"parent_group_name,omitempty"`
}

// CreateRoomGroup makes a folder.
func (c *Client) CreateRoomGroup(ctx context.Context, args CreateGroupArgs) (Group, error) {
	return call[Group](ctx, c, OpCreateRoomGroup, args)
}

// GetRoomGroupDetail returns a folder with its rooms and folders.
func (c *Client) GetRoomGroupDetail(ctx context.Context, groupID string) (Group, error) {
	return call[Group](ctx, c, OpGetRoomGroupDetail, struct {
		GroupID string `json:"group_id"`
	}{groupID})
}
