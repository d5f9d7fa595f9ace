package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// renameTask lets the id of a task say the room, by which it is found.
func (p *importPlan) renameTask(e Payload) {
	switch t := e.(type) {
	case *TaskDelegatedEvent:
		t.Task = p.task(t.Task)
	case *TaskAcceptedEvent:
		t.Task = p.task(t.Task)
	case *TaskUpdatedEvent:
		t.Task = p.task(t.Task)
	case *TaskFinalisedEvent:
		t.Task = p.task(t.Task)
	case *TaskCancelledEvent:
		t.Task = p.task(t.Task)
	}
}

func (p *importPlan) task(id string) string {
	if own, ok := strings.CutPrefix(id, TaskPrefix); ok {
		own, _, _ = strings.Cut(own, "_")
		if b, err := hex.DecodeString(own); err == nil && len(b) == taskBytes {
			return taskID(b, p.id)
		}
	}
	bits := sha256.Sum256([]byte(p.id + "\x00" + id))
	return taskID(bits[:taskBytes], p.id)
}
