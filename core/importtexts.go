package core

import "stele/internal/typedjson"

// ofRoom tells whether an event can be in a room's stream.
func ofRoom(p Payload) bool {
	switch p.(type) {
	case *RoomCreatedEvent, *MemberJoinedEvent, *MemberLeftEvent, *MessagePostedEvent, *RoomStateChangedEvent, *RoomClosedEvent,
		*RoomPurgedEvent, *RoomChangedEvent, *RoleDefinedEvent, *RoleEditedEvent, *RoleDeletedEvent, *RoleAssumedEvent,
		*RoleReleasedEvent, *LinkAddedEvent, *LinkRemovedEvent, *ReferenceAttachedEvent, *DocumentCreatedEvent,
		*DocumentChangedEvent, *DocumentDeletedEvent, *TaskDelegatedEvent, *TaskAcceptedEvent, *TaskUpdatedEvent,
		*TaskFinalisedEvent, *TaskCancelledEvent, *CommandSentEvent, *StatePatchedEvent, *StateReplacedEvent, *EventEmittedEvent,
		*ListingPublishedEvent, *ListingWithdrawnEvent:
		return true
	}
	return false
}

// checkTexts holds what people wrote against the bounds that hold for everybody here.
func checkTexts(r *Room, p Payload) error {
	switch e := p.(type) {
	case *RoomChangedEvent:
		return checkChange(e)
	case *RoleDefinedEvent:
		return firstError(checkRoom(len(r.Roles), "roles", MaxRoles), checkBytes("role", e.Role, maxImportName),
			checkBytes("instructions", e.Instructions, MaxRoomInstructionsBytes))
	case *RoleEditedEvent:
		return firstError(checkBytes("role", e.Role, maxImportName),
			checkOptional("instructions", e.Instructions, MaxRoomInstructionsBytes))
	case *LinkAddedEvent:
		return firstError(checkRoom(len(r.Links), "links", MaxLinks), checkBytes("label", e.Label, maxImportName))
	case *DocumentCreatedEvent, *DocumentChangedEvent, *DocumentDeletedEvent:
		return checkDocumentEvent(p)
	case *TaskDelegatedEvent, *TaskAcceptedEvent, *TaskUpdatedEvent, *TaskFinalisedEvent, *TaskCancelledEvent:
		return checkTaskEvent(r, p)
	case *CommandSentEvent:
		return firstError(checkBytes("args", e.Args, MaxCommandArgs), checkBytes("user_name", e.UserName, maxImportName))
	case *StatePatchedEvent, *StateReplacedEvent:
		return checkSharedEvent(r, p)
	case *EventEmittedEvent:
		return firstError(checkBytes("type", e.Type, MaxEventTypeBytes), checkValue("payload", e.Payload, eventLimits))
	case *ListingPublishedEvent:
		return checkBytes("topic", e.Topic, MaxRoomInstructionsBytes)
	}
	return nil
}

// checkRoom refuses one more of what a room may have a number of.
func checkRoom(have int, things string, most int) error {
	if have >= most {
		return full(things, things, most)
	}
	return nil
}

func checkOptional(field string, text *string, most int) error {
	if text == nil {
		return nil
	}
	return checkBytes(field, *text, most)
}

func checkChange(e *RoomChangedEvent) error {
	if e.Name != nil {
		if err := checkRoomName(*e.Name); err != nil {
			return err
		}
	}
	for _, alias := range e.Aliases {
		if err := checkBytes("aliases", alias, maxImportName); err != nil {
			return err
		}
	}
	return firstError(
		checkOptional("description", e.Description, MaxRoomDescriptionBytes),
		checkOptional("instructions", e.Instructions, MaxRoomInstructionsBytes),
	)
}

func checkDocumentEvent(p Payload) error {
	switch e := p.(type) {
	case *DocumentCreatedEvent:
		return firstError(
			checkImportID("document", e.Document), checkBytes("name", e.Name, maxImportName),
			checkBytes("description", e.Description, MaxEntryDescriptionBytes),
			checkBytes("instructions", e.Instructions, MaxEntryInstructionsBytes), checkBytes("content", e.Content, MaxDocumentBytes),
		)
	case *DocumentChangedEvent:
		return firstError(
			checkOptional("name", e.Name, maxImportName), checkOptional("description", e.Description, MaxEntryDescriptionBytes),
			checkOptional("instructions", e.Instructions, MaxEntryInstructionsBytes),
			checkOptional("content", e.Content, MaxDocumentBytes),
		)
	}
	return nil
}

func checkTaskEvent(r *Room, p Payload) error {
	switch e := p.(type) {
	case *TaskDelegatedEvent:
		return firstError(
			checkRoom(len(r.Tasks), "tasks", MaxTasks), checkImportID("task", e.Task), checkBytes("summary", e.Summary, MaxTaskSummary),
			checkBytes("description", e.Description, MaxTaskText),
		)
	case *TaskUpdatedEvent:
		if t := r.Tasks[e.Task]; t != nil && len(t.Updates) >= MaxTaskUpdates {
			return full("task", "updates", MaxTaskUpdates)
		}
		return checkBytes("text", e.Text, MaxTaskText)
	case *TaskFinalisedEvent:
		return checkBytes("text", e.Text, MaxTaskText)
	case *TaskCancelledEvent:
		return checkBytes("text", e.Text, MaxTaskText)
	}
	return nil
}

// checkSharedEvent refuses a change after which the shared state would not be one. What was erased says nothing.
func checkSharedEvent(r *Room, p Payload) error {
	next := r.SharedState()
	switch e := p.(type) {
	case *StatePatchedEvent:
		if e.Patch.Kind != typedjson.Object {
			return nil
		}
		next = typedjson.Merge(next, e.Patch)
	case *StateReplacedEvent:
		if e.State.Kind != typedjson.Object {
			return nil
		}
		next = e.State
	}
	return checkValue("state", next, sharedLimits)
}
