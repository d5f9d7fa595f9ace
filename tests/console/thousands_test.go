package console_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// thousands is how many messages a large room has here.
const thousands = 5000

// says posts so many numbered messages, from several calls at once.
func (p *party) saysMany(n int) {
	p.w.t.Helper()
	numbers := make(chan int)
	var work sync.WaitGroup
	for range 32 {
		work.Go(func() {
			for i := range numbers {
				_, err := p.ada.PostNotice(p.w.t.Context(), agentswitch.MessageRequest{
					RoomID: p.room, Content: "message " + strconv.Itoa(i) + strings.Repeat(" and more of it", i%40),
				})
				if err != nil {
					p.w.t.Error(err)
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	work.Wait()
}

// turnsShown are the numbers of the messages that the page has, in its order.
const turnsShown = `[...document.querySelectorAll(".said .at")].map((e) => Number(e.textContent.slice(1)))`

// place is where one reads: the first message that is wholly in sight, and how far from the top of the list it is.
const place = `(() => {
	const top = document.getElementById("scroller").getBoundingClientRect().top;
	for (const e of document.querySelectorAll(".said")) {
		const y = e.getBoundingClientRect().top - top;
		if (y >= 0) return { Version: e.dataset.version, Y: Math.round(y) };
	}
	return { Version: "", Y: 0 };
})()`

type spot struct {
	Version string
	Y       int
}

// frames waits until the page has drawn so many times.
func (b *tab) frames(n int) {
	b.t.Helper()
	value[bool](b, fmt.Sprintf(`new Promise((done) => {
		let left = %d;
		const next = () => (left-- > 0 ? requestAnimationFrame(next) : done(true));
		next();
	})`, n))
}

// TestThousandsOfMessages: a large room opens at its end, shows all that came before to whoever scrolls up, in order, and stays
// where one reads while more is said.
func TestThousandsOfMessages(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	p.saysMany(thousands)
	b := w.tab(t)
	w.signIn(b)
	begin := time.Now()
	b.open("/gateway/rooms/" + p.room)
	b.await(`document.querySelector(".room").dataset.state === "live"`)
	require.Less(t, time.Since(begin), 20*time.Second, "a page opens with its newest messages alone")
	first := value[[]int](b, turnsShown)
	require.Less(t, len(first), 200)
	require.Equal(t, thousands, first[len(first)-1]+1, "the newest is at the end")
	require.True(t, value[bool](b, `(() => { const s = document.getElementById("scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight < 2; })()`))

	// Up by the mouse's wheel, over some pieces that come in above: nothing that is in sight moves by more than one scrolls.
	for steps := 0; b.count(".said") < 3*len(first); steps++ {
		require.Less(t, steps, 200, "nothing comes in above")
		before := value[spot](b, place)
		value[bool](b, `(document.getElementById("scroller").scrollTop -= 150, true)`)
		b.frames(3)
		after := value[int](b, fmt.Sprintf(`Math.round(document.querySelector('.said[data-version="%s"]').getBoundingClientRect().top
			- document.getElementById("scroller").getBoundingClientRect().top)`, before.Version))
		require.InDelta(t, before.Y+150, after, 3, "what was in sight moved by what one scrolled")
	}

	reached := value[bool](b, fmt.Sprintf(`new Promise((done) => {
		const scroller = document.getElementById("scroller");
		const up = () => {
			if (document.querySelectorAll(".said").length >= %d) return done(true);
			scroller.scrollTop = 0;
			requestAnimationFrame(up);
		};
		up();
	})`, thousands))
	require.True(t, reached)
	b.await(`!document.querySelector(".earlier")`)
	all := value[[]int](b, turnsShown)
	require.Len(t, all, thousands)
	for i, turn := range all {
		require.Equal(t, i, turn)
	}

	// In the middle of it all.
	value[bool](b, `(document.querySelectorAll(".said")[2500].scrollIntoView(), true)`)
	b.frames(4)
	before := value[spot](b, place)
	p.bertSays("Who reads that?")
	p.cleoSays("Somebody.")
	b.await(fmt.Sprintf(`document.querySelectorAll(".said").length === %d`, thousands+2))
	b.frames(4)
	require.Equal(t, before, value[spot](b, place), "the place where one reads")
	require.Equal(t, []string{"Who reads that?", "Somebody."}, b.texts(".said .words")[thousands:])
	b.do(clicks("#newest"))
	b.await(`(() => { const s = document.getElementById("scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight < 80; })()`)
	require.True(t, value[bool](b, `document.getElementById("newest").hidden`))

	begin = time.Now()
	b.frames(30)
	require.Less(t, time.Since(begin), 15*time.Second, "thirty frames of a page with all messages")

	// A page that follows lets its oldest messages go, and has them again for whoever scrolls up.
	p.cleoSays("Nobody needs all of it at once.")
	b.await(`document.querySelector(".earlier")`)
	require.Less(t, b.count(".said"), 1100)
	b.await(`(document.getElementById("scroller").scrollTop = 0, document.querySelectorAll(".said").length > 1500)`)
	again := value[[]int](b, turnsShown)
	for i, turn := range again {
		require.Equal(t, thousands+3-len(again)+i, turn)
	}
}

// TestScrolledUpInAFastRoom: the page of somebody who reads further up in a room where much is said stays small, and has the
// newest, in order and once, as soon as that person goes down to them.
func TestScrolledUpInAFastRoom(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	p.saysMany(100)
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.await(isLive)
	b.await(`(document.getElementById("scroller").scrollTop = 0, document.querySelectorAll(".said").length === 100)`)
	b.frames(2)
	before := value[spot](b, place)
	const more = 1500
	p.saysMany(more)
	p.bertSays("So much is said.")
	b.await(fmt.Sprintf(`/Turn\s+%d\s/.test(document.querySelector("#aside .facts").innerText)`, 100+more+1))
	b.frames(4)
	require.LessOrEqual(t, b.count(".said"), 100+1000)
	require.Equal(t, before, value[spot](b, place), "the place where one reads")
	require.False(t, value[bool](b, `document.getElementById("newest").hidden`))
	b.do(clicks("#newest"))
	b.await(`[...document.querySelectorAll(".said .words")].at(-1).innerText === "So much is said."`)
	p.cleoSays("It is quiet now.")
	b.await(`[...document.querySelectorAll(".said .words")].at(-1).innerText === "It is quiet now."`)
	b.await(`(document.getElementById("scroller").scrollTop = 0, document.querySelectorAll(".said").length > 300)`)
	shown := value[[]int](b, turnsShown)
	for i, turn := range shown {
		require.Equal(t, 100+more+2-len(shown)+i, turn)
	}
}
