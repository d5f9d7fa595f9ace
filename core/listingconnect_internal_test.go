package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWithdrawnListingLeadsNowhere: who found the room of a listing and comes too late does not come in by the listing that the
// room got since.
func TestWithdrawnListingLeadsNowhere(t *testing.T) {
	for _, floor := range []Floor{FloorOpen, FloorTurns} {
		r := &Room{
			RoomFacts: RoomFacts{ID: "room_1", Name: "ops", Floor: floor, State: StateActive, WriteVisibility: "public"}, Version: 1,
			Members: map[string]*Member{"a": {Agent: "a"}},
		}
		if floor == FloorTurns {
			r.State, r.Sides[0] = StateOpen, "a"
		}
		env := Env{Now: time.UnixMilli(1).UTC()}
		do := func(events []Payload, err error) {
			require.NoError(t, err)
			for _, e := range events {
				r.Apply(&Recorded{Event: Event{Payload: e, At: env.Now, Version: r.Version + 1}})
			}
		}
		events, _, err := PublishListing{Actor: "a", ID: "lst_old"}.decide(r, env)
		do(events, err)
		late := ConnectListing{Member: NewMember{Agent: "b"}, listing: "lst_old"}
		events, _, err = WithdrawListing{Actor: "a"}.decide(r, env)
		do(events, err)
		events, _, err = PublishListing{Actor: "a", ID: "lst_new"}.decide(r, env)
		do(events, err)
		_, _, err = late.decide(r, env)
		require.ErrorIs(t, err, ErrNoListing)
		late.listing = "lst_new"
		events, _, err = late.decide(r, env)
		do(events, err)
		require.NotNil(t, r.Members["b"])
	}
}
