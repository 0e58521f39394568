package quote

import "regexp"

// escapes matches an escape of JSON: a whole pair of surrogates, a surrogate alone, or any other one.
var escapes = regexp.MustCompile(`\\(u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)`)

// LoneSurrogate reports whether a text of JSON has one half of a pair of surrogates. It is no character, and
// a decoder makes the same character of each.
func LoneSurrogate(json []byte) bool {
	for _, at := range escapes.FindAllIndex(json, -1) {
		if at[1]-at[0] == len(`\ud800`) {
			return true
		}
	}
	return false
}
