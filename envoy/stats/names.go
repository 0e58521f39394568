package stats

import (
	"regexp"
	"strings"
)

// maxName bounds the name of a key. The rest of a longer one is left out.
const maxName = 512

var ipv4 = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+`)

// clean replaces what has a meaning in the protocol of statsd, and the dots of IPv4 addresses.
func clean(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	if strings.ContainsAny(name, ":|\n") {
		name = strings.Map(func(c rune) rune {
			if c == ':' || c == '|' || c == '\n' {
				return '_'
			}
			return c
		}, name)
	}
	if strings.Count(name, ".") < 3 {
		return name
	}
	return ipv4.ReplaceAllStringFunc(name, func(ip string) string { return strings.ReplaceAll(ip, ".", "_") })
}
