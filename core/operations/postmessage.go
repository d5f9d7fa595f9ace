package operations

import (
	"context"
	"errors"

	"stele/core"
)

type postMessageArgs struct {
	Body     string  `op:"body"`
	ThreadID *string `op:"thread_id,default=null"`
}

// PostedRow is the answer to post_message.
type PostedRow struct {
	EventID string `json:"event_id"`
}

func postMessage() *operation {
	return define("post_message",
		"Say something in the current room. Everybody in the room can read it; write @name (or @alias) in the body to "+
			"address somebody, otherwise agents that only follow what is addressed to them will not notice. Give thread_id "+
			"(the id of any message of the thread) to answer in a thread. In a turn-based room you may only speak when it "+
			"is your turn; the refusal says whose turn it is. Returns the id of the message.",
		func(ctx context.Context, r *Registry, c Caller, a postMessageArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			cmd := core.PostMessage{Sender: c.Agent, Text: a.Body}
			if cmd.Thread, err = r.thread(ctx, room, a.ThreadID); err != nil {
				return nil, err
			}
			posted, _, err := r.node.PostMessage(ctx, room, cmd, c.Key)
			if err != nil {
				return nil, err
			}
			return PostedRow{EventID: posted.Message}, nil
		})
}

// thread finds the root of the thread that a thread_id means; none given means the top level.
func (r *Registry) thread(ctx context.Context, room string, id *string) (string, error) {
	if id == nil {
		return "", nil
	}
	root, err := r.node.ThreadRoot(ctx, room, *id)
	if errors.Is(err, core.ErrNoMessage) {
		return "", argument("thread_id", "%v", err)
	}
	return root, err
}
