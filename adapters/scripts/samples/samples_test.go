package samples_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts/samples"
	"stele/core"
)

// TestEveryFieldIsSetSomewhere: a field that a payload gets later must get a sample too.
func TestEveryFieldIsSetSomewhere(t *testing.T) {
	for _, kind := range core.RoomKinds() {
		all := samples.Of(kind)
		require.NotEmpty(t, all, kind)
		set := map[string]bool{}
		for _, e := range all {
			require.Equal(t, kind, e.Kind)
			note(reflect.ValueOf(e.Payload).Elem(), set)
		}
		for name, ok := range set {
			require.True(t, ok, "no sample of %s sets %s", kind, name)
		}
	}
}

func note(v reflect.Value, set map[string]bool) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			note(v.Field(i), set)
		} else {
			set[f.Name] = set[f.Name] || !v.Field(i).IsZero()
		}
	}
}

func TestAStoryIsOneStreamOfARoom(t *testing.T) {
	story := samples.Story()
	room := &core.Room{}
	for i, e := range story {
		require.Equal(t, uint64(i+1), e.Version)
		require.Equal(t, core.RoomStream(samples.Room), e.Stream)
		if i > 0 {
			require.Greater(t, e.Position, story[i-1].Position)
			require.True(t, e.At.After(story[i-1].At))
		}
		room.Apply(&e.Recorded)
		line, err := e.AppendPlain(nil)
		require.NoError(t, err)
		back, err := core.ParsePlain(line)
		require.NoError(t, err)
		again, err := back.AppendPlain(nil)
		require.NoError(t, err)
		require.Equal(t, string(line), string(again))
	}
	require.Nil(t, samples.Of(core.SessionOpened))
}
