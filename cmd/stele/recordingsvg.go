package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Measures of the picture, in pixels of its own grid.
const (
	charWidth  = 7.83
	lineHeight = 20
	// descent is how far letters reach below their line.
	descent    = 6
	sideMargin = 26
	titleBar   = 40
	footMargin = 22
	// pictureWidth leaves room for fonts that are a little wider than most.
	pictureWidth  = 920
	pictureHeight = titleBar + screenRows*lineHeight + footMargin
)

// pictureStyle colours the picture. It follows whether its reader prefers light or dark; every text has a contrast of at
// least 4.5 to its ground in both. Who prefers less motion sees the last screen at once, and so does a program that shows no
// animations: what stands here outside of them is the end.
const pictureStyle = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.window{fill:#fbfaf7;stroke:#cfc8ba}.bar{fill:#efebe2}.dot{fill:#cfc8ba}
.plain{fill:#24211c}.strong{fill:#24211c;font-weight:700}.dim,.title{fill:#6a6459}.title{text-anchor:middle}
.prompt,.switch{fill:#0b6a62}.areyouai{fill:#8a5300}.edge{fill:#5b3fb5}
.switch,.areyouai,.edge{font-weight:700}
@media (prefers-color-scheme:dark){.window{fill:#17191e;stroke:#3a3e47}.bar{fill:#22252c}.dot{fill:#4a4f5a}
.plain,.strong{fill:#ece8df}.dim,.title{fill:#a39d92}
.prompt,.switch{fill:#57cdbf}.areyouai{fill:#eaa954}.edge{fill:#b7a2fa}}
@keyframes in{from{opacity:0}}
.step{animation:in .3s ease-out backwards}
`

// stillStyle ends all motion for who prefers that.
const stillStyle = "@media (prefers-reduced-motion:reduce){.roll,.step{animation:none}}\n"

// svg draws the recording. The same steps give the same bytes.
func (r *recording) svg() []byte {
	frames := r.frames()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title">`+"\n",
		pictureWidth, pictureHeight, pictureWidth, pictureHeight)
	b.WriteString("<title id=\"title\">A recorded run of stele demo: three protocols in one room</title>\n<style>")
	b.WriteString(pictureStyle)
	rollingKeys(&b, frames)
	b.WriteString(stillStyle)
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<clipPath id="screen"><rect x="1" y="%d" width="%d" height="%d"/></clipPath>`+"\n",
		titleBar+descent, pictureWidth-2, pictureHeight-titleBar-descent-footMargin/2)
	drawWindow(&b)
	b.WriteString(`<g clip-path="url(#screen)"><g class="roll">` + "\n")
	row := 0
	for _, f := range frames {
		fmt.Fprintf(&b, `<g class="step" style="animation-delay:%.2fs">`+"\n", f.at)
		for _, l := range f.lines {
			row++
			drawLine(&b, l, titleBar+row*lineHeight)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</g></g>\n</svg>\n")
	return b.Bytes()
}

// rollingKeys writes how the screen rolls up when it is full. Its state after the animation is its own, not one of the
// animation's.
func rollingKeys(b *bytes.Buffer, frames []frame) {
	const rolling = 0.25
	total := recordingSeconds + rolling
	percent := func(at float64) float64 { return 100 * at / total }
	rows, offset := 0, 0
	var keys strings.Builder
	keys.WriteString("0%{transform:translateY(0)}")
	for _, f := range frames {
		rows += len(f.lines)
		next := max(0, rows-screenRows) * lineHeight
		if next == offset {
			continue
		}
		fmt.Fprintf(&keys, "\n%.2f%%{transform:translateY(%dpx)}%.2f%%{transform:translateY(%dpx)}",
			percent(f.at), -offset, percent(f.at+rolling), -next)
		offset = next
	}
	fmt.Fprintf(b, "@keyframes roll{%s}\n.roll{transform:translateY(%dpx);animation:roll %.2fs linear}\n", keys.String(), -offset, total)
}

func drawWindow(b *bytes.Buffer) {
	fmt.Fprintf(b, `<rect class="window" x=".5" y=".5" width="%d" height="%d" rx="9"/>`+"\n", pictureWidth-1, pictureHeight-1)
	fmt.Fprintf(b, `<path class="bar" d="M1 30V10a9 9 0 0 1 9-9h%da9 9 0 0 1 9 9v20z"/>`+"\n", pictureWidth-20)
	for i := range 3 {
		fmt.Fprintf(b, `<circle class="dot" cx="%d" cy="15.5" r="5.5"/>`, 20+18*i)
	}
	fmt.Fprintf(b, "\n<text class=\"title\" x=\"%d\" y=\"20\">stele demo</text>\n", pictureWidth/2)
}

// drawLine draws a line of the screen, nothing for an empty one.
func drawLine(b *bytes.Buffer, l screenLine, y int) {
	if len(l.left) == 0 {
		return
	}
	fmt.Fprintf(b, `<text y="%d">`, y)
	left := 0.0
	if len(l.wire) > 0 {
		left = 2
	}
	drawSpans(b, l.left, left)
	drawSpans(b, l.wire, wireColumn)
	b.WriteString("</text>\n")
}

// drawSpans draws spans one behind the other from a column.
func drawSpans(b *bytes.Buffer, spans []span, column float64) {
	for i, s := range spans {
		at := ""
		if i == 0 {
			at = fmt.Sprintf(` x="%.1f"`, sideMargin+column*charWidth)
		}
		fmt.Fprintf(b, `<tspan%s class="%s">%s</tspan>`, at, s.class, escaped(s.text))
	}
}

// escaped makes a text harmless within an element: markup becomes text, and what XML has no way to say becomes U+FFFD.
func escaped(text string) string {
	var b strings.Builder
	// A strings.Builder takes every write.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
