package switchfront

import (
	"fmt"
	"net/http"
	"reflect"

	"stele/core/operations"
	"stele/internal/openapi"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// operationEndpoints describes each operation under its own path: it has its own arguments and its own result.
func operationEndpoints(ops []operations.Description) []openapi.Endpoint {
	list := describe(http.MethodGet, "/agents/{agent_id}/ops", "operations", "Every operation, with what a model needs to use it").
		byAgent().answers("the operations by name", openapi.Of[agentswitch.Catalog]())
	unknown := describe(http.MethodPost, "/agents/{agent_id}/ops/{operation}", "operations", "An operation that there is not").
		byAgent().refuses("unknown operation; the text lists the known ones", http.StatusNotFound)
	unknown = onConnection(unknown.takes(openapi.Of[map[string]any]()))
	out := []openapi.Endpoint{list.Endpoint, unknown.Endpoint}
	results := operationResults()
	for _, op := range ops {
		of, ok := results[op.Name]
		if !ok {
			panic("switchfront: operation " + op.Name + " has no described result")
		}
		out = append(out, operationEndpoint(op, of))
	}
	return out
}

func operationEndpoint(op operations.Description, result reflect.Type) openapi.Endpoint {
	e := describe(http.MethodPost, "/agents/{agent_id}/ops/"+op.Name, "operations", op.Name).byAgent()
	e.Description = op.Description
	e = onConnection(e.takes(nil))
	var schema map[string]any
	if err := strictjson.Unmarshal(op.Schema, &schema); err != nil {
		panic(fmt.Sprintf("switchfront: schema of %s: %v", op.Name, err))
	}
	e.Body = &openapi.Body{Schema: schema}
	e.Answers[http.StatusOK] = openapi.Answer{
		Description: "what the operation returned",
		Contents:    map[string]openapi.Content{agentswitch.ContentTypeJSON: {Of: resultOf(result)}},
	}
	return e.Endpoint
}

func onConnection(e *endpoint) *endpoint {
	return e.header("X-Switch-Connection-Id", "The connection whose claimed room is the current room.").idempotent().
		refuses("the connection is not open, or the idempotency key was used for another request", http.StatusConflict)
}

// resultOf is the type of an answer with this result.
func resultOf(result reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "Result", Type: result, Tag: `json:"result"`}})
}

// operationResults are the types of the results by operation.
func operationResults() map[string]reflect.Type {
	return map[string]reflect.Type{
		agentswitch.OpListRooms:             openapi.Of[[]agentswitch.RoomRow](),
		agentswitch.OpConnectToRoom:         openapi.Of[agentswitch.ConnectToRoomAnswer](),
		agentswitch.OpListReferences:        openapi.Of[agentswitch.ReferencesAnswer](),
		agentswitch.OpListLinkedRooms:       openapi.Of[[]agentswitch.LinkedRoom](),
		agentswitch.OpLoadInternalDocuments: openapi.Of[[]agentswitch.DocumentContent](),
		agentswitch.OpCreateRoomDocument:    openapi.Of[agentswitch.CreatedDocument](),
		agentswitch.OpUpdateRoomDocument:    openapi.Of[agentswitch.ChangedDocument](),
		agentswitch.OpDeleteRoomDocument:    openapi.Of[agentswitch.ChangedDocument](),
		agentswitch.OpReadContext:           openapi.Of[agentswitch.ReadContextAnswer](),
		agentswitch.OpListParticipants:      openapi.Of[[]agentswitch.ParticipantRow](),
		agentswitch.OpPostMessage:           openapi.Of[agentswitch.PostMessageAnswer](),
		agentswitch.OpSendTargetedMessage:   openapi.Of[agentswitch.TargetedMessageAnswer](),
		agentswitch.OpDelegateTask:          openapi.Of[agentswitch.DelegateTaskAnswer](),
		agentswitch.OpAcceptTask:            openapi.Of[agentswitch.AcceptTaskAnswer](),
		agentswitch.OpUpdateTask:            openapi.Of[agentswitch.UpdateTaskAnswer](),
		agentswitch.OpFinaliseTask:          openapi.Of[agentswitch.FinaliseTaskAnswer](),
		agentswitch.OpCancelTask:            openapi.Of[agentswitch.CancelTaskAnswer](),
		agentswitch.OpListTasks:             openapi.Of[[]agentswitch.TaskRow](),
		agentswitch.OpCreateRoom:            openapi.Of[agentswitch.CreateRoomAnswer](),
		agentswitch.OpListRoles:             openapi.Of[[]agentswitch.Role](),
		agentswitch.OpGetRoleDetail:         openapi.Of[agentswitch.RoleDetail](),
		agentswitch.OpDefineRole:            openapi.Of[agentswitch.RoleChange](),
		agentswitch.OpEditRole:              openapi.Of[agentswitch.RoleChange](),
		agentswitch.OpDeleteRole:            openapi.Of[agentswitch.RoleChange](),
		agentswitch.OpAssumeRole:            openapi.Of[agentswitch.AssumedRole](),
		agentswitch.OpReleaseRole:           openapi.Of[agentswitch.ReleasedRole](),
		agentswitch.OpListReferenceTypes:    openapi.Of[[]agentswitch.ReferenceTypeRow](),
		agentswitch.OpCreateReference:       openapi.Of[agentswitch.CreatedReference](),
		agentswitch.OpAttachReference:       openapi.Of[agentswitch.OK](),
		agentswitch.OpLinkRooms:             openapi.Of[agentswitch.LinkedRoom](),
		agentswitch.OpUnlinkRooms:           openapi.Of[agentswitch.OK](),
		agentswitch.OpListBridges:           openapi.Of[[]agentswitch.Bridge](),
		agentswitch.OpInviteAgent:           openapi.Of[agentswitch.OK](),
		agentswitch.OpAddUsers:              openapi.Of[agentswitch.AddUsersAnswer](),
		agentswitch.OpListAllRooms:          openapi.Of[[]agentswitch.AnyRoomRow](),
		agentswitch.OpListRoomGroups:        openapi.Of[[]agentswitch.GroupRow](),
		agentswitch.OpCreateRoomGroup:       openapi.Of[agentswitch.Group](),
		agentswitch.OpGetRoomGroupDetail:    openapi.Of[agentswitch.Group](),
		agentswitch.OpListAgents:            openapi.Of[[]agentswitch.Agent](),
		agentswitch.OpGetAgentDetail:        openapi.Of[agentswitch.AgentDetail](),
		agentswitch.OpUpdateAgentDetail:     openapi.Of[agentswitch.AgentDetail](),
		agentswitch.OpGetRoomDetail:         openapi.Of[agentswitch.RoomDetail](),
		agentswitch.OpUpdateRoom:            openapi.Of[agentswitch.RoomDetail](),
		agentswitch.OpArchiveRoom:           openapi.Of[agentswitch.RoomDetail](),
		agentswitch.OpUnarchiveRoom:         openapi.Of[agentswitch.RoomDetail](),
		// What the protocol does not list is in no type of its wire package.
		"get_room_state":     openapi.Of[map[string]any](),
		"set_room_state":     openapi.Of[operations.RoomStateSet](),
		"replace_room_state": openapi.Of[operations.RoomStateSet](),
		"emit_event":         openapi.Of[operations.EventEmitted](),
		"translate_cursor":   openapi.Of[operations.TranslatedCursor](),
		"create_listing":     openapi.Of[operations.ListingCreated](),
		"search_listings":    openapi.Of[operations.ListingsFound](),
		"connect_to_listing": openapi.Of[operations.ListingConnected](),
		"get_turn":           openapi.Of[operations.Turn](),
		"publish_listing":    openapi.Of[operations.ListingPublished](),
		"withdraw_listing":   openapi.Of[operations.ListingWithdrawn](),
	}
}
