package page

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostBytes is how large a picture in docs/ may be.
const mostBytes = 150_000

// savePicture writes a picture with at most 256 colours: those that it has most often.
func savePicture(t *testing.T, path string, shot []byte) {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	counts, area := map[color.RGBA]int{}, full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := range area.Dy() {
		for x := range area.Dx() {
			counts[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return cmp.Compare(counts[b], counts[a]) })
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	small, nearest := image.NewPaletted(area, palette), map[color.RGBA]uint8{}
	for y := range area.Dy() {
		for x := range area.Dx() {
			c := at(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			small.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small))
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
}

// requirePicture requires that a picture is there, small, and as wide as the screen.
func requirePicture(t *testing.T, path string, s screen) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Less(t, len(content), mostBytes)
	size, err := png.DecodeConfig(bytes.NewReader(content))
	require.NoError(t, err)
	require.Zero(t, int64(size.Width)%s.width)
}
