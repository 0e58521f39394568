package value

import (
	"errors"
	"strings"
)

// eventClasses are the letters in the order of CONFIG GET. The first ten together are A.
const eventClasses = "g$lshzxetdnKEm"

// KeyspaceEvents accepts the letters of notify-keyspace-events.
var KeyspaceEvents = one("letters", func(s string) (string, error) {
	set := strings.ReplaceAll(s, "A", "g$lshzxetd")
	if strings.Trim(set, eventClasses) != "" {
		return "", errors.New("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	}
	shown := strings.Map(func(r rune) rune {
		if strings.ContainsRune(set, r) {
			return r
		}
		return -1
	}, eventClasses)
	if rest, all := strings.CutPrefix(shown, "g$lshzxetd"); all {
		shown = "A" + strings.TrimPrefix(rest, "n")
	}
	return shown, nil
}, same)
