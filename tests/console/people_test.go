package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoomLive: a person watches while agents of three protocols talk, and says something as itself, which they hear.
func TestRoomLive(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	p.adaSays("Is the crane free at noon?")
	b := w.tab(t)
	w.signIn(b)
	b.follow(`nav a[href="/gateway/rooms"]`)
	b.follow(`main table a`)
	b.await(`document.querySelector(".room").dataset.state === "live"`)
	require.Equal(t, []string{"Is the crane free at noon?"}, b.texts(".said .words"))

	p.bertSays("It is, until two o'clock.")
	p.cleoSays("The crew is there by 11:45 – ça va? 🏗")
	p.adaSays("Booked.")
	b.await(`document.querySelectorAll(".said").length === 4`)
	require.Equal(t, []string{
		"Is the crane free at noon?", "It is, until two o'clock.", "The crew is there by 11:45 – ça va? 🏗", "Booked.",
	}, b.texts(".said .words"))
	require.Equal(t, []string{"ada", "bert", "cleo", "ada"}, b.texts(".said .who"))
	b.await(`["switch", "areyouai", "edge"].every((s) => document.querySelector("aside .people .script." + s))`)
	require.Contains(t, b.text("aside"), "ACTIVE")

	b.follow(`form[action$="/join"] button`)
	b.await(`document.querySelector(".room").dataset.state === "live"`)
	b.fill("#say textarea", "I am a person, and I agree.")
	b.do(clicks("#say button"))
	b.await(`[...document.querySelectorAll(".said.mine .words")].some((e) => e.innerText.trim() === "I am a person, and I agree.")`)
	require.Equal(t, "", value[string](b, `document.querySelector("#say textarea").value`))
	heard, err := p.bert.History(t.Context(), p.room, 0, 100)
	require.NoError(t, err)
	last := heard.Items[len(heard.Items)-1]
	require.Equal(t, "I am a person, and I agree.", last.Ciphertext)
	b.fits("room")
}

// TestWhyNothingWasSaidStays: what is told of one message is not taken back because the time of the one before it is up.
func TestWhyNothingWasSaidStays(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.follow(`form[action$="/join"] button`)
	b.await(isLive)
	// From here on every timer waits until the test lets its time be up.
	value[bool](b, `(() => {
		const waiting = new Map();
		window.setTimeout = (act) => { const id = {}; waiting.set(id, act); return id; };
		window.clearTimeout = (id) => waiting.delete(id);
		window.timesUp = () => waiting.forEach((act) => act());
		return true;
	})()`)
	b.fill("#say textarea", "I am a person.")
	b.do(clicks("#say button"))
	b.await(`document.getElementById("link").innerText === "Said"`)
	value[bool](b, `(document.querySelector("#say textarea").value = "é".repeat(140_000), true)`)
	b.do(clicks("#say button"))
	b.await(`document.getElementById("link").innerText !== "Said"`)
	why := b.text("#link")
	value[bool](b, "(timesUp(), true)")
	require.Equal(t, why, b.text("#link"))
	require.Contains(t, why, "bytes")
}
