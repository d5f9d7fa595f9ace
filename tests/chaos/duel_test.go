package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"stele/areyouai"
	"stele/tests/chaos"
)

// duel drives both sides of turns rooms, one room after the other: it offers a listing, connects to it, and lets the sides
// speak until the turns are used up, which closes the room in the same atomic unit as the last message. At each turn the
// side sends several messages at once, of which one may win.
type duel struct {
	world *world
	name  string
	// owner speaks areyouai and offers; guest is the other one, which may speak Switch.
	owner, guest duelist
	random       *rand.Rand

	// rooms counts them; room is the present one, nil between two.
	rooms int
	room  *duelRoom
	// offering is what an unknown outcome left of an offer.
	offering *offer
}

// duelist is one side.
type duelist interface {
	connect(*life) error
	// enter is called once in each life and room.
	enter(*life, string) error
	// speak makes what answers the room as it is now.
	speak(*life, string) (send, error)
	sender() *sender
	door() areyouaiAgent
}

type duelRoom struct {
	id, listing, topic string
	maxTurns           int64
	// entered is the life in which both sides entered.
	entered *life
	joined  bool
}

type offer struct {
	message
	maxTurns int64
}

func (d *duel) connect(l *life) error {
	return errors.Join(d.owner.connect(l), d.guest.connect(l))
}

func (d *duel) retry(l *life) error {
	return errors.Join(d.owner.sender().retry(l), d.guest.sender().retry(l))
}

// write takes one step and tells whether there is sense in another on this life.
func (d *duel) write(l *life) bool {
	switch {
	case d.room == nil:
		return d.offer(l)
	case !d.room.joined:
		return d.join(l)
	}
	if d.room.entered != l {
		if errors.Join(d.owner.enter(l, d.room.id), d.guest.enter(l, d.room.id)) != nil {
			return false
		}
		d.room.entered = l
	}
	return d.turn(l)
}

// offer creates a listing. With a key it is repeated until its room is known; without one, whatever came of it is left
// alone.
func (d *duel) offer(l *life) bool {
	s, o := d.owner.sender(), d.offering
	d.offering = nil
	if o == nil {
		d.rooms++
		o = &offer{maxTurns: 2 + d.random.Int64N(4)}
		topic := fmt.Sprintf("%s %d", d.name, d.rooms)
		o.message = message{mark: chaos.CreateMark + topic, parts: 2}
		if d.rooms%2 == 0 {
			o.key = fmt.Sprintf("offer-%s-%d", d.name, d.rooms)
		}
	}
	var made areyouai.ListingReply
	topic := o.mark[len(chaos.CreateMark):]
	kind, _ := s.try(l, o.message, func(ctx context.Context, _ message) (r receipt, err error) {
		client, err := d.owner.door().client(l)
		if err != nil {
			return receipt{}, err
		}
		made, err = client.CreateListing(ctx, areyouai.ListingRequest{Topic: topic, MaxTurns: o.maxTurns})
		return receipt{answer: made.RoomID}, err
	})
	switch {
	case kind == chaos.Acknowledged:
		d.room = &duelRoom{id: made.RoomID, listing: made.ID, topic: topic, maxTurns: o.maxTurns}
		d.world.watchDuel(l, d)
	case kind == chaos.Unknown && o.key != "":
		d.offering = o
	}
	return kind == chaos.Acknowledged
}

// join connects the guest. After an unknown outcome it is tried again: being told that the listing is taken means that it
// had happened.
func (d *duel) join(l *life) bool {
	m := message{mark: chaos.ConnectMark + d.room.topic, room: d.room.id, parts: 2}
	kind, _ := d.guest.sender().try(l, m, func(ctx context.Context, _ message) (receipt, error) {
		client, err := d.guest.door().client(l)
		if err != nil {
			return receipt{}, err
		}
		_, err = client.Connect(ctx, d.room.listing)
		return receipt{}, err
	})
	d.room.joined = kind != chaos.Unknown
	return d.room.joined
}

// turn lets whose turn it is speak.
func (d *duel) turn(l *life) bool {
	client, err := d.owner.door().client(l)
	if err != nil {
		return false
	}
	state, err := client.State(l.ctx, d.room.id)
	if err != nil {
		return false
	}
	if state.State != areyouai.StateActive {
		d.room = nil
		return true
	}
	side := d.owner
	if state.NextActorID == d.guest.door().id {
		side = d.guest
	}
	speak, err := side.speak(l, d.room.id)
	if err != nil {
		return false
	}
	return d.race(l, side.sender(), state.TurnIndex, speak)
}

// race sends several messages for the same turn at once.
func (d *duel) race(l *life, s *sender, turn int64, speak send) bool {
	var mu sync.Mutex
	var racers sync.WaitGroup
	alive := true
	for range 1 + d.random.IntN(3) {
		m := s.next(d.room.id)
		if turn+1 == d.room.maxTurns {
			m.parts = 3
		}
		racers.Go(func() {
			kind, _ := s.try(l, m, speak)
			mu.Lock()
			defer mu.Unlock()
			if kind == chaos.Unknown {
				alive = false
				if m.key != "" {
					s.pending = append(s.pending, pending{m, speak})
				}
			}
		})
	}
	racers.Wait()
	return alive
}

// areyouaiDuelist is a side that speaks areyouai.
type areyouaiDuelist struct {
	*areyouaiWriter
}

func (a areyouaiDuelist) sender() *sender           { return a.areyouaiWriter.sender }
func (a areyouaiDuelist) door() areyouaiAgent       { return a.agent }
func (a areyouaiDuelist) enter(*life, string) error { return nil }
func (a areyouaiDuelist) speak(l *life, room string) (send, error) {
	read, err := a.client.Context(l.ctx, room)
	if err != nil {
		return nil, err
	}
	return a.answering(read), nil
}

// switchDuelist is a side that speaks Switch. It takes and connects to listings at the areyouai door.
type switchDuelist struct {
	*switchWriter
	areyouai areyouaiAgent
}

func (a switchDuelist) sender() *sender     { return a.switchWriter.sender }
func (a switchDuelist) door() areyouaiAgent { return a.areyouai }
func (a switchDuelist) enter(l *life, room string) error {
	_, err := a.client.ConnectToRoom(l.ctx, room)
	return err
}
func (a switchDuelist) speak(*life, string) (send, error) { return a.post, nil }
