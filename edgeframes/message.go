package edgeframes

import (
	"time"

	"stele/edgeframes/superjson"
)

// Message is one item of the message log (docs, Message Log). The log is append-only;
// its order is Seq.
type Message struct {
	Role    Role
	Content string
	// Name is on a tool message the tool, on others who spoke. Empty leaves it out.
	Name string
	// ToolCalls are the tools an assistant message asks for. Nil leaves them out.
	ToolCalls []ToolCall
	// ToolCallID is on a tool result the call it answers. Empty leaves it out.
	ToolCallID string
	// Seq is from 1 and the resume cursor.
	Seq uint64
	// At is when the message was appended, for display only, in milliseconds of UTC.
	At time.Time
}

// ToolCall is one tool a [Message] asks for.
type ToolCall struct {
	ID   string
	Name string
	Args superjson.Value
}

// value is the item as the protocol's examples print it, the assigned fields last.
func (m Message) value() *superjson.Object {
	members := []superjson.Member{text("role", string(m.Role)), text("content", m.Content)}
	if m.Name != "" {
		members = append(members, text("name", m.Name))
	}
	if m.ToolCalls != nil {
		calls := make(superjson.Array, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			calls[i] = superjson.NewObject(text("id", c.ID), text("name", c.Name), member("args", c.Args))
		}
		members = append(members, member("toolCalls", calls))
	}
	if m.ToolCallID != "" {
		members = append(members, text("toolCallId", m.ToolCallID))
	}
	return superjson.NewObject(append(members, number("seq", m.Seq), member("at", superjson.DateOf(m.At)))...)
}

func messageValues(messages []Message) superjson.Array {
	values := make(superjson.Array, len(messages))
	for i, m := range messages {
		values[i] = m.value()
	}
	return values
}

func readMessages(r *reader, key string) []Message {
	list, ok := r.list(key)
	if !ok {
		return nil
	}
	messages := make([]Message, len(list))
	for i, item := range list {
		inner := r.inside(item)
		messages[i] = Message{
			Role:       Role(inner.text("role")),
			Content:    inner.text("content"),
			Name:       inner.optionalText("name"),
			ToolCalls:  readToolCalls(inner),
			ToolCallID: inner.optionalText("toolCallId"),
			Seq:        inner.integer("seq", 0),
			At:         inner.date("at"),
		}
		r.adopt(inner)
	}
	return messages
}

func readToolCalls(r *reader) []ToolCall {
	list, ok := r.list("toolCalls")
	if !ok {
		return nil
	}
	calls := make([]ToolCall, len(list))
	for i, item := range list {
		inner := r.inside(item)
		calls[i] = ToolCall{ID: inner.text("id"), Name: inner.text("name"), Args: inner.any("args")}
		r.adopt(inner)
	}
	return calls
}
