package moving_test

import (
	"context"
	"strings"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core/operations"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	agentswitch "stele/switch"
)

// way is how a client follows a room: in a protocol, by one of its cursors.
type way struct {
	protocol string
	// cursor is what the gateway calls its cursor.
	cursor string
	// follow hears what comes after a place until hear says that it is enough, and returns the cursor that it has then.
	follow func(w *world, from operations.Cursors, hear hearing) (cursor uint64)
}

// hearing is told of each thing that comes: the text of a message, or "" of anything else. It returns false for enough.
type hearing func(text string) (more bool)

func ways() []way {
	return []way{
		{"switch", "switch", followSwitch},
		{"areyouai", "areyouai", followAreyouai},
		{"edge", "edge_messages", followEdgeMessages},
		{"edge", "edge_events", followEdgeEvents},
	}
}

func followSwitch(w *world, from operations.Cursors, hear hearing) uint64 {
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, AgentID: w.mover.ID, APIKey: w.key, HTTPClient: w.web})
	require.NoError(w.t, err)
	at := from.Switch
	for frame, err := range client.Events(w.ctx, agentswitch.StreamOptions{Rooms: []string{w.room}, After: &at}) {
		require.NoError(w.t, err)
		ev, ok := frame.(agentswitch.Event)
		if !ok {
			_, gap := frame.(agentswitch.Gap)
			require.False(w.t, gap)
			continue
		}
		at = ev.Sequence
		text := ""
		if m, ok := ev.Payload.(agentswitch.Message); ok {
			text = m.Body
		}
		if !hear(text) {
			break
		}
	}
	return at
}

func followAreyouai(w *world, from operations.Cursors, hear hearing) uint64 {
	client, err := areyouai.NewClient(w.url, areyouai.ClientOptions{APIKey: w.key, HTTP: w.web})
	require.NoError(w.t, err)
	at := from.Areyouai
	for ev, err := range client.Events(w.ctx, w.room, areyouai.EventsOptions{Since: int64(at)}) {
		require.NoError(w.t, err)
		at = uint64(ev.EventID)
		if !hear(ev.Ciphertext) {
			break
		}
	}
	return at
}

// dialEdge makes a client that goes on at a place. Listeners registered before it starts miss nothing.
func dialEdge(w *world, from operations.Cursors, streams ...edgeframes.Stream) *edgeframes.Client {
	address := "ws" + strings.TrimPrefix(w.url, "http") + "/agents/tom/" + w.room
	client, err := edgeframes.NewClient(address, edgeframes.ClientOptions{
		Token: w.key, Subscribe: streams, Resume: true, HTTPClient: w.web,
		Cursors: map[edgeframes.Stream]uint64{edgeframes.StreamMessages: from.EdgeMessages, edgeframes.StreamEvents: from.EdgeEvents},
	})
	require.NoError(w.t, err)
	return client
}

func followEdgeMessages(w *world, from operations.Cursors, hear hearing) uint64 {
	client := dialEdge(w, from, edgeframes.StreamMessages)
	defer client.Close()
	client.Start(w.ctx)
	at := from.EdgeMessages
	for update, err := range client.Messages(w.ctx) {
		require.NoError(w.t, err)
		for _, m := range update.Messages {
			at = m.Seq
			if !hear(m.Content) {
				return at
			}
		}
	}
	return at
}

func followEdgeEvents(w *world, from operations.Cursors, hear hearing) uint64 {
	client := dialEdge(w, from, edgeframes.StreamEvents)
	defer client.Close()
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	events := client.Events(ctx, 0)
	client.Start(ctx)
	at := from.EdgeEvents
	for ev, err := range events {
		require.NoError(w.t, err)
		at = ev.Seq
		text := ""
		if payload, ok := ev.Payload.(*superjson.Object); ok {
			if v, ok := payload.Get("text"); ok {
				s, _ := v.(superjson.String)
				text = string(s)
			}
		}
		if !hear(text) {
			break
		}
	}
	return at
}
