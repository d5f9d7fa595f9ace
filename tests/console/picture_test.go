package console_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// lean makes a picture of a page small: it keeps the 256 colours that are most of it, each other one becoming the nearest. What a
// page paints is few colours, and the edges of its letters.
func lean(shot []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	area := full.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := full.At(x, y).RGBA()
		// Neighbours that nobody tells apart are one colour.
		return color.RGBA{R: uint8(r>>8) &^ 3, G: uint8(g>>8) &^ 3, B: uint8(b>>8) &^ 3, A: 255}
	}
	exact := map[color.RGBA]color.RGBA{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			if count[c]++; count[c] == 1 {
				r, g, b, _ := full.At(x, y).RGBA()
				exact[c] = color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 255}
			}
		}
	}
	used := make([]color.RGBA, 0, len(count))
	for c := range count {
		used = append(used, c)
	}
	slices.SortFunc(used, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var kept color.Palette
	for _, c := range used[:min(256, len(used))] {
		kept = append(kept, exact[c])
	}
	out := image.NewPaletted(area, kept)
	nearest := map[color.RGBA]uint8{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(kept.Index(exact[c]))
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}
