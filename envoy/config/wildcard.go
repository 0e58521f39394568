package config

import "strings"

// matchesPattern reports whether a text has the parts of a pattern in their order, without overlap. The
// first part begins the text, and the last one ends it.
func matchesPattern(parts []string, text string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}
