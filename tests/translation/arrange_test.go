package translation_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"stele/areyouai"
	agentswitch "stele/switch"
)

// arrange registers everybody and makes the room.
func (w *world) arrange(name string, seed, number uint64) (*conversation, error) {
	c := &conversation{
		world: w, name: name, random: rand.New(rand.NewPCG(seed, number)),
		pending: map[string][]string{}, ongoing: map[string][]string{},
	}
	c.turns, c.closable = c.random.IntN(4) == 0, c.random.IntN(8) == 0
	count := 2
	if !c.turns {
		count += c.random.IntN(5)
	}
	for i := range count {
		p := &participant{
			conversation: c, world: w, name: fmt.Sprintf("%s-%d", name, i), steps: 3 + c.random.IntN(7),
			random: rand.New(rand.NewPCG(seed, number<<8|uint64(i+1))),
		}
		p.protocol = protocols[(i+c.random.IntN(2))%len(protocols)]
		p.late = !c.turns && i > 1 && c.random.IntN(4) == 0
		var err error
		if p.id, p.key, err = w.register(w.host, p.protocol, p.name); err != nil {
			return nil, err
		}
		c.who = append(c.who, p)
	}
	if c.turns {
		return c, c.pair()
	}
	return c, c.gather()
}

// register makes an agent at the door of a protocol. An edge client is an agent of one of the others.
func (w *world) register(anyone *agentswitch.Client, protocol, name string) (id, key string, err error) {
	if protocol == onAreyouai {
		client, err := areyouai.NewClient("http://"+host, areyouai.ClientOptions{HTTP: w.steady})
		if err != nil {
			return "", "", err
		}
		made, err := client.Register(w.ctx, name)
		return made.AgentID, made.APIKey, err
	}
	made, err := anyone.Register(w.ctx, registrationToken, agentswitch.RegisterRequest{
		AgentType: agentswitch.AgentTypeCodex, Name: name, Description: "takes part in a test",
	})
	return made.ID, made.APIKey, err
}

// gather makes an open room, with all in it who are not late.
func (c *conversation) gather() error {
	var founders []string
	for _, p := range c.who {
		if !p.late {
			founders = append(founders, p.name)
		}
	}
	made, err := c.world.host.CreateRoom(c.world.ctx, agentswitch.CreateRoomArgs{
		Name: c.name, Description: "where they talk", AgentNames: append(founders, "host"),
	})
	if err != nil {
		return err
	}
	c.room = made.ID
	id, key, err := c.world.register(c.world.host, onSwitch, c.name+"-guest")
	c.guest = c.world.host.WithAgent(id, key)
	return err
}

// pair makes a room for two who take turns, each of whom comes through its own door.
func (c *conversation) pair() error {
	most := 3 + c.random.IntN(12)
	listing, room, err := c.who[0].offer(most)
	if err != nil {
		return err
	}
	c.room = room
	return c.who[1].accept(listing)
}

// offer makes a listing, over areyouai or by the operation that other agents have for it.
func (p *participant) offer(most int) (listing, room string, err error) {
	if p.protocol == onAreyouai {
		client, err := p.world.areyouaiClient(p.id, p.key)
		if err != nil {
			return "", "", err
		}
		var made areyouai.ListingReply
		p.world.persist("offer a listing", func(ctx context.Context) (err error) {
			made, err = client.CreateListing(withKey(ctx, p.name), areyouai.ListingRequest{Topic: p.name, MaxTurns: int64(most)})
			return err
		})
		return made.ID, made.RoomID, nil
	}
	var made struct {
		ID     string `json:"id"`
		RoomID string `json:"room_id"`
	}
	client := p.world.host.WithAgent(p.id, p.key).WithIdempotencyKey(p.name)
	err = client.Call(p.world.ctx, "create_listing", map[string]any{"topic": p.name, "max_turns": most}, &made)
	return made.ID, made.RoomID, err
}

// accept takes the other side of a listing's room.
func (p *participant) accept(listing string) error {
	if p.protocol == onAreyouai {
		client, err := p.world.areyouaiClient(p.id, p.key)
		if err != nil {
			return err
		}
		p.world.persist("connect to a listing", func(ctx context.Context) error {
			_, err := client.Connect(withKey(ctx, p.name), listing)
			return err
		})
		return nil
	}
	client := p.world.host.WithAgent(p.id, p.key).WithIdempotencyKey(p.name)
	return client.Call(p.world.ctx, "connect_to_listing", map[string]any{"listing_id": listing}, nil)
}
