package moving_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core/operations"
)

// said is what was said in the order in which it was.
func said(count int) []string {
	out := make([]string, count)
	for i := range out {
		out[i] = fmt.Sprintf("m%d", i)
	}
	return out
}

// journey is what a client heard over all its moves.
type journey struct{ texts []string }

// until hears a number of things.
func (j *journey) until(things int) hearing {
	return func(text string) bool {
		if text != "" {
			j.texts = append(j.texts, text)
		}
		things--
		return things > 0
	}
}

// all hears until so many messages were heard.
func (j *journey) all(count int) hearing {
	return func(text string) bool {
		if text != "" {
			j.texts = append(j.texts, text)
		}
		return len(j.texts) < count
	}
}

// TestTheRecipes: a client follows one protocol, stops at any place while others talk, and goes on in another.
func TestTheRecipes(t *testing.T) {
	const count, places = 60, 4
	for _, x := range ways() {
		for _, y := range ways() {
			if x.protocol == y.protocol {
				continue
			}
			t.Run(x.cursor+" to "+y.cursor, func(t *testing.T) {
				for range places {
					stop := 1 + rand.IntN(count/2)
					t.Logf("stops after %d", stop)
					w, j := newWorld(t), &journey{}
					wait := w.talk(count)
					at := x.follow(w, operations.Cursors{}, j.until(stop))
					place := w.convert(x.cursor, at)
					if len(j.texts) < count {
						y.follow(w, place.Cursors, j.all(count))
					}
					wait()
					require.Equal(t, said(count), j.texts)
				}
			})
		}
	}
}

// TestAClientThatNeverSettles changes its protocol after every few events.
func TestAClientThatNeverSettles(t *testing.T) {
	const count = 300
	w, j := newWorld(t), &journey{}
	wait := w.talk(count)
	at, now := operations.Cursors{}, ways()[0]
	for len(j.texts) < count {
		left := 1 + rand.IntN(20)
		enough := j.all(count)
		cursor := now.follow(w, at, func(text string) bool {
			left--
			return enough(text) && left > 0
		})
		at = w.convert(now.cursor, cursor).Cursors
		now = ways()[rand.IntN(len(ways()))]
	}
	wait()
	require.Equal(t, said(count), j.texts)
}

// TestTheDocumentHasEveryDirection: each recipe that runs here is described.
func TestTheDocumentHasEveryDirection(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "moving.md"))
	require.NoError(t, err)
	names := map[string]string{"switch": "Switch", "areyouai": "areyouai", "edge": "edge"}
	for _, x := range ways() {
		for _, y := range ways() {
			if x.protocol != y.protocol {
				require.Contains(t, string(doc), fmt.Sprintf("\n### From %s to %s\n", names[x.protocol], names[y.protocol]))
			}
		}
		require.Contains(t, string(doc), "cursor?"+x.cursor+"=")
	}
}
