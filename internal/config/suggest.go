package config

import "strings"

// nearest finds the name that was probably meant: the first of those with the fewest
// slips (a letter missing, extra, wrong, or two swapped), if one in three letters at most.
func nearest(word string, names []string) (string, bool) {
	word = strings.ToLower(word)
	if len(word) > 64 {
		return "", false
	}
	best, fewest := "", max(1, len(word)/3)+1
	for _, name := range names {
		if n := slips(word, name); n < fewest {
			best, fewest = name, n
		}
	}
	return best, best != ""
}

// slips is the optimal string alignment distance of a and b.
func slips(a, b string) int {
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
