package areyouaifront

import (
	"sync"

	"stele/areyouai"
)

// openStreams counts the streams that are open per key, so that nobody holds more than it may. Counting what is open,
// rather than when something was opened, lets no place lapse under a stream that lives long.
type openStreams[K comparable] struct {
	limit int

	mu   sync.Mutex
	open map[K]int
}

// seat is an agent in a room.
type seat struct{ room, agent string }

// newOpenStreams allows limit streams per key; 0: any number.
func newOpenStreams[K comparable](limit int) *openStreams[K] {
	return &openStreams[K]{limit: limit, open: map[K]int{}}
}

// enter counts a stream in; leave, which must be called once, counts it out.
func (o *openStreams[K]) enter(key K) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limit > 0 && o.open[key] >= o.limit {
		return nil, false
	}
	o.open[key]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open[key]--; o.open[key] == 0 {
			delete(o.open, key)
		}
	}, true
}

// places are what open streams take up beside those of a member in its room: agent streams by agent, viewer streams by
// room, and both by the address that they come from.
type places struct{ agents, rooms, ips *openStreams[string] }

func newPlaces(l Limits) places {
	return places{
		agents: newOpenStreams[string](l.OpenAgentStreams),
		rooms:  newOpenStreams[string](l.OpenViewerStreams),
		ips:    newOpenStreams[string](l.OpenPerIP),
	}
}

// takeAgentPlace counts the caller's agent stream in. It is called after everything else that may refuse the stream, and
// leave once when the stream has ended.
func (f *Front) takeAgentPlace(r *request) (leave func(), err error) {
	return f.takePlace(r, f.places.agents, r.cred.Agent)
}

// takeViewerPlace does the same for a viewer stream of the room in the path.
func (f *Front) takeViewerPlace(r *request) (leave func(), err error) {
	return f.takePlace(r, f.places.rooms, r.id)
}

func (f *Front) takePlace(r *request, of *openStreams[string], key string) (leave func(), err error) {
	ip := addressOf(r.Request())
	leaveIP, ok := f.places.ips.enter(ip)
	if !ok {
		return nil, &ipLimitedError{ip: ip, refusal: areyouai.NewError(areyouai.CodeRateLimited)}
	}
	leaveKey, ok := of.enter(key)
	if !ok {
		leaveIP()
		return nil, areyouai.NewError(areyouai.CodeRateLimited)
	}
	return f.auditStream(r, func() {
		leaveKey()
		leaveIP()
	}), nil
}
