package operations

import (
	"slices"

	"stele/core"
)

// checkChannel refuses what only a room on an external channel can have. Every room is reached through all doors, so to
// name one of them asks for nothing more.
func checkChannel(a createRoomArgs) error {
	if a.BridgeID != nil && !slices.ContainsFunc(doors(), func(b Bridge) bool { return b.ID == *a.BridgeID }) {
		return argument("bridge_id", "there is no bridge %.300q; see list_bridges", *a.BridgeID)
	}
	if len(value(a.UserNames)) > 0 {
		return argument("user_names", "users can be added to rooms on an external channel only")
	}
	return nil
}

// fileRoom says where a new room is filed and what shows in it from the start.
func (r *Registry) fileRoom(cmd *core.CreateRoom, a createRoomArgs) error {
	if ids := value(a.PackageIDs); len(ids) > 0 {
		return argument("package_ids", "there is no package %.300q", ids[0])
	}
	cmd.References = value(a.ReferenceIDs)
	if a.GroupName == nil {
		return nil
	}
	group, err := r.node.GroupNamed("group_name", *a.GroupName)
	cmd.Facts.Group = group.ID
	return err
}
