package agentswitch

// The names of the operations.
const (
	OpListRooms             = "list_rooms"
	OpConnectToRoom         = "connect_to_room"
	OpListReferences        = "list_references"
	OpListLinkedRooms       = "list_linked_rooms"
	OpLoadInternalDocuments = "load_internal_documents"
	OpCreateRoomDocument    = "create_room_document"
	OpUpdateRoomDocument    = "update_room_document"
	OpDeleteRoomDocument    = "delete_room_document"
	OpReadContext           = "read_context"
	OpListParticipants      = "list_participants"
	OpPostMessage           = "post_message"
	OpSendTargetedMessage   = "send_targeted_message"
	OpDelegateTask          = "delegate_task"
	OpAcceptTask            = "accept_task"
	OpUpdateTask            = "update_task"
	OpFinaliseTask          = "finalise_task"
	OpCancelTask            = "cancel_task"
	OpListTasks             = "list_tasks"
	OpCreateRoom            = "create_room"
	OpListRoles             = "list_roles"
	OpGetRoleDetail         = "get_role_detail"
	OpDefineRole            = "define_role"
	OpEditRole              = "edit_role"
	OpDeleteRole            = "delete_role"
	OpAssumeRole            = "assume_role"
	OpReleaseRole           = "release_role"
	OpListReferenceTypes    = "list_reference_types"
	OpCreateReference       = "create_reference"
	OpAttachReference       = "attach_reference_to_room"
	OpLinkRooms             = "link_rooms"
	OpUnlinkRooms           = "unlink_rooms"
	OpListBridges           = "list_bridges"
	OpInviteAgent           = "invite_agent_to_room"
	OpAddUsers              = "add_users_to_room"
	OpListAllRooms          = "list_all_rooms"
	OpListRoomGroups        = "list_room_groups"
	OpCreateRoomGroup       = "create_room_group"
	OpGetRoomGroupDetail    = "get_room_group_detail"
	OpListAgents            = "list_agents"
	OpGetAgentDetail        = "get_agent_detail"
	OpUpdateAgentDetail     = "update_agent_detail"
	OpGetRoomDetail         = "get_room_detail"
	OpUpdateRoom            = "update_room"
	OpArchiveRoom           = "archive_room"
	OpUnarchiveRoom         = "unarchive_room"
)

// OperationNames returns the 45 names in the order in which the reference
// server lists them.
func OperationNames() []string {
	return []string{
		OpListRooms, OpConnectToRoom, OpListReferences, OpListLinkedRooms, OpLoadInternalDocuments, OpCreateRoomDocument,
		OpUpdateRoomDocument, OpDeleteRoomDocument, OpReadContext, OpListParticipants, OpPostMessage, OpSendTargetedMessage,
		OpDelegateTask, OpAcceptTask, OpUpdateTask, OpFinaliseTask, OpCancelTask, OpListTasks, OpCreateRoom, OpListRoles,
		OpGetRoleDetail, OpDefineRole, OpEditRole, OpDeleteRole, OpAssumeRole, OpReleaseRole, OpListReferenceTypes,
		OpCreateReference, OpAttachReference, OpLinkRooms, OpUnlinkRooms, OpListBridges, OpInviteAgent, OpAddUsers,
		OpListAllRooms, OpListRoomGroups, OpCreateRoomGroup, OpGetRoomGroupDetail, OpListAgents, OpGetAgentDetail,
		OpUpdateAgentDetail, OpGetRoomDetail, OpUpdateRoom, OpArchiveRoom, OpUnarchiveRoom,
	}
}

// NeedsCurrentRoom reports whether an operation acts on the one room that its
// connection has claimed, and fails with TextNotConnected without it.
// OpConnectToRoom needs a connection but no room.
func NeedsCurrentRoom(operation string) bool {
	switch operation {
	case OpListReferences, OpListLinkedRooms, OpLoadInternalDocuments, OpCreateRoomDocument, OpUpdateRoomDocument,
		OpDeleteRoomDocument, OpReadContext, OpListParticipants, OpPostMessage, OpSendTargetedMessage, OpDelegateTask,
		OpAcceptTask, OpUpdateTask, OpFinaliseTask, OpCancelTask, OpListTasks, OpListRoles, OpDefineRole, OpEditRole,
		OpDeleteRole, OpAssumeRole, OpReleaseRole:
		return true
	default:
		return false
	}
}
