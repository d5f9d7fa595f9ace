package samples

import (
	"stele/core"
	"stele/internal/typedjson"
)

func ptr[T any](v T) *T { return &v }

func settings(kind core.Kind) []core.Payload {
	link := core.LinkFacts{Target: "room_2", Actor: Bob}
	switch kind {
	case core.LinkAdded:
		return []core.Payload{
			&core.LinkAddedEvent{LinkFacts: link, LinkTexts: core.LinkTexts{Label: "the sea"}},
			&core.LinkAddedEvent{LinkFacts: link},
		}
	case core.LinkRemoved:
		return []core.Payload{&core.LinkRemovedEvent{LinkFacts: link}}
	case core.ReferenceAttached:
		return []core.Payload{&core.ReferenceAttachedEvent{Reference: "ref_1", Actor: Bob}}
	case core.ListingPublished:
		return []core.Payload{
			&core.ListingPublishedEvent{
				ListingFacts: core.ListingFacts{Listing: "lst_2", Actor: Bob, MaxTurns: 8, TTLSeconds: 600},
				ListingTexts: core.ListingTexts{Topic: "who reads this", Tags: []string{"a", "b"}},
			},
			&core.ListingPublishedEvent{
				ListingFacts: core.ListingFacts{Listing: "lst_3", Actor: Ada}, ListingTexts: core.ListingTexts{Topic: "open"},
			},
		}
	case core.ListingWithdrawn:
		return []core.Payload{&core.ListingWithdrawnEvent{Listing: "lst_2", Actor: Bob}}
	}
	return []core.Payload{
		&core.RoomChangedEvent{
			RoomChangeFacts: core.RoomChangeFacts{Actor: Bob, Name: ptr("quay"), Archived: ptr(true)},
			RoomChangeTexts: core.RoomChangeTexts{Description: ptr("what goes out"), Instructions: ptr("be long")},
		},
		&core.RoomChangedEvent{RoomChangeFacts: core.RoomChangeFacts{
			Actor: Bob, AdminMode: ptr(true), Archived: ptr(false), Listeners: ptr([]string{Ada}),
			Aliases: map[string]string{Bob: "boss", Ada: ""},
		}},
		&core.RoomChangedEvent{
			RoomChangeFacts: core.RoomChangeFacts{Actor: Bob, Listeners: ptr([]string{})},
			RoomChangeTexts: core.RoomChangeTexts{Description: ptr("")},
		},
	}
}

func roles(kind core.Kind) []core.Payload {
	switch kind {
	case core.RoleDefined:
		return []core.Payload{
			&core.RoleDefinedEvent{
				RoleFacts: core.RoleFacts{Role: "pilot", Exclusive: true, Actor: Bob},
				RoleTexts: core.RoleTexts{Instructions: "steer"},
			},
			&core.RoleDefinedEvent{RoleFacts: core.RoleFacts{Role: "crew", Actor: Bob}},
		}
	case core.RoleEdited:
		return []core.Payload{
			&core.RoleEditedEvent{RoleEditFacts: core.RoleEditFacts{Role: "pilot", Exclusive: ptr(false), Actor: Bob}},
			&core.RoleEditedEvent{
				RoleEditFacts: core.RoleEditFacts{Role: "pilot", Actor: Bob},
				RoleEditTexts: core.RoleEditTexts{Instructions: ptr("steer well")},
			},
		}
	case core.RoleDeleted:
		return []core.Payload{&core.RoleDeletedEvent{Role: "crew", Actor: Bob}}
	case core.RoleAssumed:
		return []core.Payload{&core.RoleAssumedEvent{Agent: Bob, Role: "pilot", Connection: "con_1", Generation: 3}}
	}
	return []core.Payload{&core.RoleReleasedEvent{Agent: Bob, Role: "pilot"}}
}

func documents(kind core.Kind) []core.Payload {
	switch kind {
	case core.DocumentCreated:
		return []core.Payload{&core.DocumentCreatedEvent{
			DocumentFacts: core.DocumentFacts{Document: "doc_1", Agent: Bob},
			DocumentTexts: core.DocumentTexts{
				Name: "plan", Description: "what we do", Instructions: "read first", Content: "1. sail\n2. land\n",
			},
		}}
	case core.DocumentDeleted:
		return []core.Payload{&core.DocumentDeletedEvent{DocumentFacts: core.DocumentFacts{Document: "doc_1", Agent: Bob}}}
	}
	facts := core.DocumentChangeFacts{Document: "doc_1", Agent: Bob}
	whole := facts
	whole.Whole = true
	return []core.Payload{
		&core.DocumentChangedEvent{DocumentChangeFacts: facts, DocumentChangeTexts: core.DocumentChangeTexts{
			Name: ptr("the plan"), Description: ptr(""), Instructions: ptr("read last"),
		}},
		&core.DocumentChangedEvent{DocumentChangeFacts: whole, DocumentChangeTexts: core.DocumentChangeTexts{Content: ptr("3. rest")}},
	}
}

func shared(kind core.Kind) []core.Payload {
	by := core.SharedFacts{Actor: Bob}
	text := func(s string) typedjson.Value { return typedjson.Value{Kind: typedjson.String, Text: s} }
	object := func(members ...typedjson.Member) typedjson.Value {
		return typedjson.Value{Kind: typedjson.Object, Members: members}
	}
	due := typedjson.Member{Key: "due", Value: typedjson.Value{Kind: typedjson.Date, Text: "2026-03-01T12:00:00.005Z"}}
	count := typedjson.Member{Key: "count", Value: typedjson.Value{Kind: typedjson.BigInt, Text: "123456789012345678901234567890"}}
	gone := typedjson.Member{Key: "gone", Value: typedjson.Value{Kind: typedjson.Null}}
	tags := typedjson.Member{Key: "tags", Value: typedjson.Value{Kind: typedjson.Set, Items: []typedjson.Value{text("a"), text("b")}}}
	switch kind {
	case core.StatePatched:
		return []core.Payload{
			&core.StatePatchedEvent{SharedFacts: by, StatePatchTexts: core.StatePatchTexts{Patch: object(due, count, gone)}},
			&core.StatePatchedEvent{SharedFacts: by, StatePatchTexts: core.StatePatchTexts{Patch: object(
				typedjson.Member{Key: "deep", Value: object(tags, gone)},
			)}},
		}
	case core.StateReplaced:
		return []core.Payload{&core.StateReplacedEvent{SharedFacts: by, StateReplaceTexts: core.StateReplaceTexts{
			State: object(due, tags), Patch: object(tags, gone),
		}}}
	}
	return []core.Payload{
		&core.EventEmittedEvent{SharedFacts: by, EventTexts: core.EventTexts{Type: "progress", Payload: object(due, tags)}},
		&core.EventEmittedEvent{SharedFacts: by, EventTexts: core.EventTexts{
			Type: "ping", Payload: typedjson.Value{Kind: typedjson.Undefined},
		}},
		&core.EventEmittedEvent{SharedFacts: by, EventTexts: core.EventTexts{Type: "step:1/2", Payload: typedjson.Value{
			Kind: typedjson.Map, Items: []typedjson.Value{text(Ada), {Kind: typedjson.Number, Text: "-0"}},
		}}},
	}
}
