package edgeframes_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestASlowEventListenerIsTold(t *testing.T) {
	url := agentServer(t, func(p *peer) {
		for seq := range uint64(5) {
			p.send(event(seq + 1))
		}
		p.send(edgeframes.Hello{})
		p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{EventBuffer: 3})
	slow, filtered := c.Events(testContext(t), 0), c.Events(testContext(t), 3)
	c.Start(testContext(t))
	require.NoError(t, c.Ready(testContext(t)))

	var seqs []uint64
	var last error
	for e, err := range slow {
		if last = err; err == nil {
			seqs = append(seqs, e.Seq)
		}
	}
	require.Equal(t, []uint64{1, 2, 3}, seqs)
	require.ErrorIs(t, last, edgeframes.ErrBehind)

	seqs = nil
	for e, err := range filtered {
		require.NoError(t, err)
		if seqs = append(seqs, e.Seq); len(seqs) == 3 {
			break
		}
	}
	require.Equal(t, []uint64{3, 4, 5}, seqs, "one slow listener is no other's affair")
}

func TestListenersEndWithTheirContext(t *testing.T) {
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		p.drain()
	})
	c := dial(t, url, edgeframes.ClientOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range c.State(ctx) {
		require.Fail(t, "a state")
	}
	for range c.Messages(ctx) {
		require.Fail(t, "a message")
	}
	for range c.Events(ctx, 0) {
		require.Fail(t, "an event")
	}
}

func TestTheMirrorIsBounded(t *testing.T) {
	const total = 100
	step := make(chan struct{})
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Messages{Snapshot: []edgeframes.Message{msg(1)}}, edgeframes.Hello{})
		<-step
		for seq := uint64(2); seq <= total; seq++ {
			p.send(edgeframes.Messages{Appended: []edgeframes.Message{msg(seq)}})
		}
		p.send(event(1))
		p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{KeepMessages: 8})
	done := c.Events(testContext(t), 0)
	c.Start(testContext(t))
	var last error
	rounds := 0
	for update, err := range c.Messages(testContext(t)) {
		if last = err; err != nil {
			break
		}
		if rounds++; rounds > 1 {
			break
		}
		require.True(t, update.Snapshot)
		close(step)
		for range done {
			break
		}
	}
	require.ErrorIs(t, last, edgeframes.ErrBehind)

	for update, err := range c.Messages(testContext(t)) {
		require.NoError(t, err)
		require.True(t, update.Snapshot)
		require.GreaterOrEqual(t, len(update.Messages), 8)
		require.LessOrEqual(t, len(update.Messages), 10)
		require.Equal(t, uint64(total), update.Messages[len(update.Messages)-1].Seq)
		break
	}
	require.Equal(t, uint64(total), c.Cursor(edgeframes.StreamMessages))
}

// Whatever a server sends, the client's copy is what a plain fold over the frames gives.
func TestTheMirrorFollowsTheFrames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var frames []edgeframes.Frame
		state := superjson.NewObject()
		var seqs []uint64
		next := uint64(1)
		for range rapid.IntRange(1, 12).Draw(rt, "frames") {
			o := superjson.NewObject(superjson.Member{
				Key:   rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "key"),
				Value: anyJSON(2).Draw(rt, "value"),
			})
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				frames, state = append(frames, edgeframes.State{Snapshot: o}), o
			case 1:
				frames, state = append(frames, edgeframes.State{Patch: o}), edgeframes.MergeObject(state, o)
			case 2:
				frames, seqs = append(frames, edgeframes.Messages{Snapshot: []edgeframes.Message{msg(next)}}), []uint64{next}
				next++
			case 3:
				frames, seqs = append(frames, edgeframes.Messages{Appended: []edgeframes.Message{msg(next), msg(next + 1)}}), append(seqs, next, next+1)
				next += 2
			}
		}
		frames = append(frames, edgeframes.State{Patch: superjson.NewObject()}, edgeframes.Messages{Appended: []edgeframes.Message{}}, edgeframes.Hello{})
		url := agentServer(t, func(p *peer) {
			p.send(frames...)
			p.drain()
		})
		c, err := edgeframes.Dial(testContext(t), url, edgeframes.ClientOptions{})
		require.NoError(rt, err)
		defer c.Close()
		for got := range c.State(testContext(t)) {
			require.True(rt, superjson.Equal(state, got))
			break
		}
		if len(seqs) > 0 {
			require.Equal(rt, seqs, messageSeqs(t, c, len(seqs)))
		}
	})
}
