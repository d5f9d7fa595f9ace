package transport

import "time"

// Wrong codes that are heard in a minute unless something else was chosen. One network leaves room for a proxy that many
// clients share; what a room hears is out of reach of one network, so that nobody can shut the holders of a room's code
// out of it alone.
const (
	DefaultGuessesPerNetwork = 60
	DefaultGuessesPerRoom    = 600
)

// Guesses counts the codes for people that were wrong, by where they came from and by room. All doors at which a code
// opens a room share one, so that whoever guesses gets no more tries by going from door to door. It is safe for
// concurrent use.
type Guesses struct{ networks, rooms *Window }

// NewGuesses allows so many wrong codes from one network (see [ClientNetwork]) and for one room per span; 0: any number.
func NewGuesses(perNetwork, perRoom int, span time.Duration) *Guesses {
	return &Guesses{networks: NewWindow(perNetwork, span), rooms: NewWindow(perRoom, span)}
}

// Wait tells how long it takes until a code from a network may be judged for a room, 0 if it may be now, and whether it is
// the network that has tried too many. Whoever judges codes asks it first, and calls Wrong when the code was wrong; codes
// that are right count nowhere, since pages send them every few seconds.
func (g *Guesses) Wait(network, room string, now time.Time) (wait time.Duration, ofNetwork bool) {
	if wait := g.networks.Wait(network, now); wait > 0 {
		return wait, true
	}
	return g.rooms.Wait(room, now), false
}

// Wrong counts a code that was wrong. Only rooms that exist are worth counting.
func (g *Guesses) Wrong(network, room string, now time.Time) {
	g.networks.Take(network, now)
	g.rooms.Take(room, now)
}
