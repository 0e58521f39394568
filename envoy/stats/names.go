package stats

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// maxName bounds the name of a key. A longer one ends with the hash of all of it, so that it stays its own.
const maxName = 512

// keptOfHash is the number of bytes of a hash in a name.
const keptOfHash = 8

var ipv4 = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+`)

// clean replaces what has a meaning in the protocol of statsd, and the dots of IPv4 addresses.
func clean(name string) string {
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(name))
		name = strings.ToValidUTF8(name[:maxName-1-2*keptOfHash], "") + "_" + hex.EncodeToString(sum[:keptOfHash])
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
