package translation

import "fmt"

// Outcome is what a participant knows of something that it sent.
type Outcome string

// The outcomes. Unknown: its connection was cut before the answer, and there was no way to ask again.
const (
	Accepted Outcome = "accepted"
	Refused  Outcome = "refused"
	Unknown  Outcome = "unknown"
)

// Said is something that a participant sent, by its [Event.Mark].
type Said struct {
	Mark    string
	Outcome Outcome
	// Why is the refusal's text.
	Why string
}

// CheckSaid compares what a participant sent, in its order, with the log: what was accepted is there once and in that order,
// what was refused is not there, and what is unknown is not there twice.
func CheckSaid(log []Event, participant string, said []Said) []string {
	at := map[string][]uint64{}
	for _, e := range log {
		if m := e.Mark(); m != "" {
			at[m] = append(at[m], e.Version)
		}
	}
	var found []string
	last := uint64(0)
	for _, s := range said {
		places := at[s.Mark]
		switch {
		case len(places) > 1,
			s.Outcome == Accepted && len(places) == 0,
			s.Outcome == Refused && len(places) > 0:
			found = append(found, fmt.Sprintf("%s sent %s, which was %s %s and is in the log %d times", participant, s.Mark, s.Outcome, s.Why, len(places)))
		case len(places) == 1 && s.Outcome == Accepted:
			if places[0] < last {
				found = append(found, fmt.Sprintf("%s sent %s after something that is behind it in the log", participant, s.Mark))
			}
			last = places[0]
		}
	}
	return found
}
