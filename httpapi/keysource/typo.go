package keysource

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A word with a typo would be a text, and so the same key for all requests. All clients would share one
// limit, and nobody would see it.

// named are the words that have a name behind a colon.
var named = []string{"header", "cookie", "plain-header", "plain-cookie", "ip-header"}

var errEmpty = errors.New("a part is empty")

// checkWord refuses a text that is nearly a word.
func checkWord(text string) error {
	lower := strings.ToLower(strings.TrimSpace(text))
	kind, _, colon := strings.Cut(lower, ":")
	for _, name := range named {
		if colon && isNear(kind, name) || lower == name {
			return fmt.Errorf("%.64q is no word: write %s:NAME, or text: before a text", text, name)
		}
	}
	if lower == text {
		return nil
	}
	if p, err := parsePart(lower); err != nil || p.read != nil {
		return fmt.Errorf("%.64q is no word: write %s, or text: before a text", text, lower)
	}
	return nil
}

// checkBeside refuses a text beside other parts that is empty or has a colon.
func (p *part) checkBeside() error {
	switch {
	case p.read != nil:
	case p.text == "":
		return errEmpty
	case strings.Contains(p.text, ":"):
		return fmt.Errorf("%.64q is no word: before a colon is %s", p.text, strings.Join(named, ", "))
	}
	return nil
}

// isNear reports whether a text has a typo of a name: up to three letters too many or too few, or in another
// order. The first letter is right.
func isNear(text, name string) bool {
	if len(text) < 3 || len(text) > len(name)+3 || text[0] != name[0] {
		return false
	}
	short, long := letters(text), letters(name)
	if len(short) > len(long) {
		short, long = long, short
	}
	switch len(long) - len(short) {
	case 0:
		slices.Sort(short)
		slices.Sort(long)
		return slices.Equal(short, long)
	case 1, 2, 3:
		found := 0
		for _, c := range long {
			if found < len(short) && c == short[found] {
				found++
			}
		}
		return found == len(short)
	}
	return false
}

func letters(text string) []byte {
	return slices.DeleteFunc([]byte(text), func(c byte) bool { return c < 'a' || c > 'z' })
}
