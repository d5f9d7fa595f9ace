package translation_test

import (
	"context"
	"math/rand/v2"
	"sync"

	agentswitch "stele/switch"
	"stele/tests/translation"
)

// lastWord is what the host says when nobody else says anything any more.
const lastWord = "the-end of it"

// conversation is a room and those who take part in it.
type conversation struct {
	world  *world
	random *rand.Rand
	name   string
	// turns: it is a room for two who take turns, and not an open one.
	turns bool
	// closable: one of the participants may close it before the others are done.
	closable bool
	room     string
	who      []*participant
	guest    *agentswitch.Client
	visit    sync.Once

	mu sync.Mutex
	// pending and ongoing are the tasks of each agent, by its id.
	pending, ongoing map[string][]string
}

// hold lets everybody take part until all are done, and ends the conversation.
func (c *conversation) hold() {
	var all sync.WaitGroup
	for _, p := range c.who {
		all.Go(p.takePart)
	}
	all.Wait()
	if c.turns || c.random.IntN(2) == 0 {
		c.close()
		return
	}
	c.world.persist("the last word in "+c.room, func(ctx context.Context) error {
		_, err := c.world.host.WithIdempotencyKey(c.name+"-end").PostNotice(ctx, agentswitch.MessageRequest{RoomID: c.room, Content: lastWord})
		if c.closable && refusedBySwitch(err) {
			return nil
		}
		return err
	})
}

// close ends the room, as one of its members.
func (c *conversation) close() {
	client, err := c.world.areyouaiClient(c.who[0].id, c.who[0].key)
	if err != nil {
		c.world.fault("%v", err)
		return
	}
	c.world.persist("close "+c.room, func(ctx context.Context) error {
		_, err := client.Close(withKey(ctx, c.name+"-close"), c.room)
		return err
	})
}

// receive lets a guest come and go, once.
func (c *conversation) receive() {
	c.visit.Do(func() {
		c.world.tally.count("guest")
		c.invite(c.name + "-guest")
		c.world.persist("the guest's leave", func(ctx context.Context) error {
			err := c.guest.DeleteAgent(ctx)
			if agentswitch.IsUnauthorized(err) {
				return nil
			}
			return err
		})
	})
}

// invite adds an agent to the room; false: it has been closed.
func (c *conversation) invite(name string) (in bool) {
	c.world.persist("invite "+name, func(ctx context.Context) error {
		err := c.world.host.InviteAgentToRoom(ctx, agentswitch.InviteAgentArgs{RoomID: c.room, AgentName: name})
		in = err == nil
		if c.closable && refusedBySwitch(err) {
			return nil
		}
		return err
	})
	return in
}

// settle waits until everybody has seen all of the log, which does not grow any more, and returns it.
func (c *conversation) settle() ([]translation.Event, error) {
	ctx, cancel := context.WithTimeout(c.world.ctx, patience)
	defer cancel()
	log, err := c.world.gateway.events(ctx, c.room)
	for err == nil {
		for _, p := range c.who {
			if err := p.catchUp(ctx, log); err != nil {
				// What is missing is for the checker to tell.
				return log, nil
			}
		}
		before := len(log)
		if log, err = c.world.gateway.events(ctx, c.room); len(log) == before {
			break
		}
	}
	return log, err
}

// judge ends everybody's last leg and compares what they saw with the log.
func (c *conversation) judge() []string {
	log, err := c.settle()
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, p := range c.who {
		if p.side == nil {
			// The room was closed before it came.
			continue
		}
		if edge, ok := p.side.(*edgeSide); ok {
			found = append(found, translation.CheckState(log, p.name, edge.state(c.world.ctx))...)
			c.world.tally.count("mirror")
		}
		found = append(found, translation.Check(c.room, log, p.transcript(log))...)
		found = append(found, translation.CheckSaid(log, p.name, p.said)...)
	}
	c.world.tally.add("event", len(log))
	return found
}
