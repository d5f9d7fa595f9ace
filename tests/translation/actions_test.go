package translation_test

import (
	"context"

	agentswitch "stele/switch"
	"stele/tests/translation"
)

// remarks are what people say: text of every kind, which every protocol must carry.
var remarks = []string{
	"hello", "it is \"quoted\" and \\ escaped", "two\nlines", "naïve café", "سلام، كيف الحال", "👩‍👩‍👧 and 🇫🇷", "<b>&amp;</b>",
	"a\ttab", "\u2028 a line that is none", "data: {\"id\":1}", "one\r\ntwo\rthree\n\nid: 7", "nul \x00, escape \x1b, mark \ufeff",
	"\u202eback\u202c and e\u0301",
}

// speak says something, at times to somebody.
func (p *participant) speak() {
	mark := p.mark()
	text := mark + " " + remarks[p.random.IntN(len(remarks))]
	if p.random.IntN(3) == 0 {
		text += " @" + p.another().name
	}
	outcome := p.put("message", mark, func(ctx context.Context, key string) error { return p.side.say(ctx, key, text) })
	if outcome == translation.Refused && p.turns {
		// It was not its turn: something should happen first.
		readings := p.side.readings()
		_, changed := readings[0].cursor()
		ctx, cancel := context.WithTimeout(p.world.ctx, 20*retryPause)
		defer cancel()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// another is somebody else who is in the room for sure.
func (p *participant) another() *participant {
	for {
		if other := p.who[p.random.IntN(len(p.who))]; other != p && !other.late {
			return other
		}
	}
}

// emit tells the room's followers something that is no message.
func (p *participant) emit() {
	mark := p.mark()
	p.put("event", mark, func(ctx context.Context, key string) error {
		return p.side.call(ctx, key, "emit_event", map[string]any{"type": mark, "payload": map[string]any{"done": 0.5}}, nil)
	})
}

// patch changes the shared state.
func (p *participant) patch() {
	mark := p.mark()
	_, _ = p.certain(func(ctx context.Context, key string) error {
		return p.side.call(ctx, key, "set_room_state", map[string]any{"patch": map[string]any{mark: p.serial}}, nil)
	})
}

// delegate asks somebody else to do something.
func (p *participant) delegate() {
	mark, other := p.mark(), p.another()
	var made struct {
		TaskID string `json:"task_id"`
	}
	outcome := p.put("task", mark, func(ctx context.Context, key string) error {
		return p.side.call(ctx, key, agentswitch.OpDelegateTask, map[string]any{
			"performer_agent_id": other.id, "summary": mark, "description": "do it",
		}, &made)
	})
	if outcome == translation.Accepted {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pending[other.id] = append(p.pending[other.id], made.TaskID)
	}
}

// work takes a task that waits, or finishes one that goes on.
func (p *participant) work() {
	if task := p.take(p.ongoing); task != "" {
		_, _ = p.certain(func(ctx context.Context, key string) error {
			return p.side.call(ctx, key, agentswitch.OpFinaliseTask, map[string]any{"task_id": task, "outcome": "done"}, nil)
		})
		return
	}
	task := p.take(p.pending)
	if task == "" {
		p.speak()
		return
	}
	outcome, _ := p.certain(func(ctx context.Context, key string) error {
		return p.side.call(ctx, key, agentswitch.OpAcceptTask, map[string]any{"task_id": task}, nil)
	})
	if outcome == translation.Accepted {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ongoing[p.id] = append(p.ongoing[p.id], task)
	}
}

// take removes a task of the participant from a list, empty when there is none or the protocol has no tasks.
func (p *participant) take(tasks map[string][]string) string {
	if p.protocol == onAreyouai {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := tasks[p.id]
	if len(mine) == 0 {
		return ""
	}
	tasks[p.id] = mine[1:]
	return mine[0]
}
