package areyouaifront

import (
	"bytes"
	"cmp"
	"time"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
	"stele/core"
)

// transcript shows a room's conversation to whoever has its human code. The order of the checks is the protocol's
// (areyouai: transcript).
func (f *Front) transcript(c echo.Context) error {
	r, err := newRequest(c)
	if err != nil {
		return err
	}
	query, err := r.query()
	if err != nil {
		return err
	}
	if err := areyouai.CheckTranscriptQuery(query); err != nil {
		return err
	}
	body, err := f.body(r)
	if err != nil {
		return err
	}
	req, err := f.opts.Sizes.DecodeTranscript(body)
	if err != nil {
		return err
	}
	if err := f.catchUp(r.ctx()); err != nil {
		return err
	}
	if err := f.judgeCode(r, func() error { return f.node.CheckHumanCode(r.ctx(), r.id, req.HumanCode) }); err != nil {
		return err
	}
	head, sides, err := f.transcriptHead(r)
	if err != nil {
		return err
	}
	t := &transcriptWriter{front: f, request: r, turns: int(head.TurnIndex), sides: sides, acked: f.node.AckedTurns(r.id)}
	head.LastFetch = make(map[string]int64, len(t.acked))
	for agent, turn := range t.acked {
		head.LastFetch[agent] = int64(turn)
	}
	return t.write(head)
}

// transcriptHead is a transcript without its messages, and the two sides of a room that has sides.
func (f *Front) transcriptHead(r *request) (out areyouai.TranscriptReply, sides [2]string, err error) {
	var refused error
	err = f.node.ViewRoom(r.ctx(), r.id, func(room *core.Room) {
		if room.State == core.StatePurged {
			refused = &core.RoomNotActiveError{Room: room.ID, State: room.State}
			return
		}
		sides = room.Sides
		v := viewOf(room, companion(room, ""))
		out = areyouai.NewTranscriptReply(areyouai.TranscriptReply{
			RoomID: room.ID, RoomTopic: room.Name, AgentAID: v.a, AgentBID: v.b, TurnIndex: int64(room.Turn),
			NextActorID: room.NextActor(), NextActorSince: areyouai.TimePtr(waitingSince(room)),
			State: areyouai.RoomState(room.State), ClosedAt: areyouai.TimePtr(room.ClosedAt), PurgedAt: areyouai.TimePtr(room.PurgedAt),
		})
	})
	if err == nil {
		err = refused
	}
	return out, sides, err
}

// waitingSince is when the next actor's turn began, zero when there is no next actor or the other side is missing. An
// agent that was woken and never answered is not woken again; here people see that the room has stalled.
func waitingSince(r *core.Room) time.Time {
	if r.State != core.StateActive || r.NextActor() == "" {
		return time.Time{}
	}
	if n := len(r.Recent); n > 0 {
		return r.Recent[n-1].At
	}
	if b := r.Members[r.Sides[1]]; b != nil {
		return b.JoinedAt
	}
	return r.CreatedAt
}

// messagesField is the empty list of messages in a transcript's head. It cannot stand within a text: quotation marks are
// escaped there.
var messagesField = []byte(`"messages":[]`)

// transcriptWriter writes the messages of a transcript, however many they are.
type transcriptWriter struct {
	front   *Front
	request *request
	// turns is how many messages there are to write, and next the turn of the one to write next.
	turns, next int
	sides       [2]string
	acked       map[string]int
	// before and after are what stands around the messages.
	before, after []byte
	// names are those of the senders so far.
	names map[string]string
}

// write answers with the whole transcript.
func (t *transcriptWriter) write(head areyouai.TranscriptReply) error {
	whole, err := areyouai.AppendReply(nil, head)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(whole, messagesField)
	t.before = append(bytes.Clone(before), messagesField[:len(messagesField)-1]...)
	t.after = append([]byte{']'}, after...)
	return (&longReply{front: t.front, request: t.request, page: t.page}).write()
}

// page appends messages, and what stands around all of them.
func (t *transcriptWriter) page(buf []byte) (out []byte, last bool, err error) {
	if t.next == 0 {
		buf = append(buf, t.before...)
	}
	if buf, err = t.messages(buf); err != nil || t.next < t.turns {
		return buf, false, err
	}
	return append(buf, t.after...), true, nil
}

// messages appends messages, up to about a page of them.
func (t *transcriptWriter) messages(buf []byte) ([]byte, error) {
	for e, err := range t.front.node.HistoryOf(t.request.id).MessagesFrom(t.request.ctx(), t.next) {
		if err != nil {
			return buf, err
		}
		p := e.Payload.(*core.MessagePostedEvent)
		if p.Turn != t.next || t.next == t.turns {
			break
		}
		if t.next > 0 {
			buf = append(buf, ',')
		}
		if buf, err = areyouai.AppendReply(buf, t.message(e, p)); err != nil {
			return buf, err
		}
		// The newline at the end of a reply is no part of an item.
		buf = buf[:len(buf)-1]
		if t.next++; len(buf) >= replyPage {
			return buf, nil
		}
	}
	if t.next < t.turns {
		return buf, &core.RoomNotActiveError{Room: t.request.id, State: core.StatePurged}
	}
	return buf, nil
}

func (t *transcriptWriter) message(e *core.Entry, p *core.MessagePostedEvent) areyouai.TranscriptMessage {
	return areyouai.TranscriptMessage{
		ID: p.ID, SenderID: p.Sender, SenderName: t.nameOf(p), Turn: int64(p.Turn), Ciphertext: p.Shown(),
		CreatedAt:      areyouai.NewTime(e.At),
		ReadByOpponent: areyouai.ReadByOpponent(int64(t.opponentRead(p.Sender)), int64(p.Turn)),
	}
}

// nameOf is the name that a sender registered with. What other protocols show in its place, and what the event has, is made
// of letters that one can write after an @, and says nothing of a name in another alphabet. It stands in for a sender that
// the gateway does not know: one that was deleted or came with an import.
func (t *transcriptWriter) nameOf(p *core.MessagePostedEvent) string {
	name, known := t.names[p.Sender]
	if !known {
		name = cmp.Or(t.front.nameOf(p.Sender), p.SenderName)
		if t.names == nil {
			t.names = map[string]string{}
		}
		t.names[p.Sender] = name
	}
	return name
}

// opponentRead is how far whoever is opposite a sender has read: the other side, or in a room without sides the member that
// has read furthest.
func (t *transcriptWriter) opponentRead(sender string) (turn int) {
	switch sender {
	case t.sides[0]:
		return t.acked[t.sides[1]]
	case t.sides[1]:
		return t.acked[t.sides[0]]
	}
	for agent, acked := range t.acked {
		if agent != sender {
			turn = max(turn, acked)
		}
	}
	return turn
}
