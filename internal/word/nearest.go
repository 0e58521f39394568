package word

import (
	"slices"
	"strings"
)

// Nearest returns the name that a misspelled word probably means. It is the first name with the fewest
// mistakes. A mistake is a missing, extra or wrong letter, or two swapped letters. At most one letter in
// three may be wrong. If there is no such name, it is the first one that begins with the word and a dash:
// "http" means http-port.
func Nearest(word string, names []string) (string, bool) {
	word = strings.ToLower(word)
	if len(word) > 64 {
		return "", false
	}
	best, fewest := "", max(1, len(word)/3)+1
	for _, name := range names {
		if n := mistakes(word, name); n < fewest {
			best, fewest = name, n
		}
	}
	if best != "" {
		return best, true
	}
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, word+"-") })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// mistakes returns the number of mistakes between a and b: their optimal string alignment distance
// (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance).
func mistakes(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			wrong := 1
			if a[i] == b[j] {
				wrong = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+wrong)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Is reports whether arg is word in any case. word is ASCII in lower case.
func Is(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		b := arg[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != word[i] {
			return false
		}
	}
	return true
}
