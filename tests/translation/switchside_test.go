package translation_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	agentswitch "stele/switch"
	"stele/tests/translation"
)

// impatience shortens the waits of clients between two attempts, which are meant for a network and not for a test.
const impatience = 0.02

// switchSide is an agent of the Switch protocol with one connection, which its session keeps through all failures.
type switchSide struct {
	session *agentswitch.Session
	events  *reading
	work    sync.WaitGroup
}

func enterSwitch(p *participant, from translation.Numbers) (side, error) {
	client, err := agentswitch.NewClient(agentswitch.Options{
		BaseURL: "http://" + host, AgentID: p.id, APIKey: p.key, HTTPClient: p.world.frail,
		Rand: func() float64 { return impatience },
	})
	if err != nil {
		return nil, err
	}
	after := from.Position
	p.serial++
	session, err := client.Connect(p.world.ctx, agentswitch.StreamOptions{
		ConnectionID: fmt.Sprintf("%s-%d", p.name, p.serial), Rooms: []string{p.room}, After: &after,
	})
	if err != nil {
		return nil, err
	}
	s := &switchSide{session: session, events: newReading(translation.Switch, from)}
	s.work.Go(func() {
		for frame := range session.Frames(p.world.ctx) {
			s.take(p, frame)
		}
	})
	return s, nil
}

func (s *switchSide) take(p *participant, frame agentswitch.Frame) {
	switch f := frame.(type) {
	case agentswitch.Event:
		if f.RoomID != p.room {
			p.fault("was told of room %s", f.RoomID)
		}
		s.events.add(f.Sequence, switchSays(f.Payload))
	case agentswitch.Gap:
		p.fault("was told of a gap, and everything is kept: %s", f.Reason)
	}
}

func switchSays(payload agentswitch.Payload) string {
	switch m := payload.(type) {
	case agentswitch.Message:
		if m.Sender == "system" {
			return "message " + m.MessageID + " of system"
		}
		return translation.SwitchMessage(m.MessageID, m.Sender, m.SenderName, m.Body, m.Addressed)
	case agentswitch.RoomJoin:
		return translation.SwitchJoin(m.Member)
	}
	task := ""
	switch t := payload.(type) {
	case agentswitch.TaskDelegate:
		task = t.TaskID
	case agentswitch.TaskCancel:
		task = t.TaskID
	case agentswitch.TaskAccept:
		task = t.TaskID
	case agentswitch.TaskUpdate:
		task = t.TaskID
	case agentswitch.TaskFinalise:
		task = t.TaskID
	}
	return translation.SwitchTask(string(payload.EventType()), task)
}

func (s *switchSide) say(ctx context.Context, key, text string) error {
	_, err := s.session.WithIdempotencyKey(key).PostMessage(ctx, text, "")
	return err
}

func (s *switchSide) call(ctx context.Context, key, op string, args map[string]any, result any) error {
	return s.session.WithIdempotencyKey(key).Call(ctx, op, args, result)
}

func (s *switchSide) keyed() bool { return true }

func (s *switchSide) readings() []*reading { return []*reading{s.events} }

func (s *switchSide) stop() {
	s.session.Close()
	s.work.Wait()
}

// isClaimLost tells of a refusal that the connection caused and not what was asked: the session opens it again.
func isClaimLost(err error) bool {
	text := err.Error()
	return strings.Contains(text, agentswitch.TextIsNotOpen) || strings.Contains(text, agentswitch.TextNotConnected)
}
