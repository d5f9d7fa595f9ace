package core

import (
	"slices"
	"sort"
	"time"
)

// markEvery is how many events of a room lie between two marks.
const markEvery = 128

// mark ties the three numbers together at one event: position in the log, version of the room, and the turn that the
// next message would get there.
type mark struct {
	Position Position  `json:"p"`
	Version  uint64    `json:"v"`
	Turn     int       `json:"t"`
	At       time.Time `json:"at"`
}

// marks let any of position, version, turn and time be found in a stream by reading at most markEvery events. Beside the
// marks it keeps the newest event's numbers.
type marks struct {
	List []mark `json:"list,omitempty"`
	Last mark   `json:"last"`
}

func (m *marks) add(rec *Recorded) {
	turn := m.Last.Turn
	if p, ok := rec.Payload.(*MessagePostedEvent); ok {
		turn = p.Turn + 1
	}
	m.Last = mark{Position: rec.Position, Version: rec.Version, Turn: turn, At: rec.At}
	if VersionCount(rec.Version)%markEvery == 0 {
		m.List = append(m.List, m.Last)
	}
}

func (m *marks) clone() marks { return marks{List: slices.Clone(m.List), Last: m.Last} }

// before returns the newest mark that satisfies ok, where ok holds for a beginning of the list and then no more; the
// zero mark when none does.
func (m *marks) before(ok func(mark) bool) mark {
	if ok(m.Last) {
		return m.Last
	}
	i := sort.Search(len(m.List), func(i int) bool { return !ok(m.List[i]) })
	if i == 0 {
		return mark{}
	}
	return m.List[i-1]
}
