package prompt

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrSectionInLayer is a layer text with a line that would start a section.
var ErrSectionInLayer = errors.New("prompt: a layer contains a section header")

// lineEnds makes a line of everything that an editor or a reader shows as one,
// so that no section header hides from checkLayer, and drops the mark that some
// editors write before a text.
var lineEnds = strings.NewReplacer(
	"\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\ufeff", "",
)

func checkLayer(text string) error {
	if len(text) > MaxLayerBytes {
		return fmt.Errorf("prompt: longer than %d bytes", MaxLayerBytes)
	}
	if !utf8.ValidString(text) {
		return errors.New("prompt: not valid UTF-8")
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if name, ok := headerOf(line); ok {
			return fmt.Errorf("%w: %s on line %d", ErrSectionInLayer, name, number)
		}
		for _, r := range line {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				return fmt.Errorf("prompt: control character %U on line %d", r, number)
			}
		}
	}
	return nil
}

// headerOf tells which section a line would start to a reader that does not
// look closely: whatever the case, and whatever is invisible in it.
func headerOf(line string) (name string, ok bool) {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, line)
	for _, name := range OrderedStack() {
		if strings.EqualFold(visible, "["+name+"]") {
			return name, true
		}
	}
	return "", false
}
