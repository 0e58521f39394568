package config

import (
	"crypto/sha256"
	"encoding/hex"
)

// Long names of counters are cut, and end with the hash of the whole name.
const (
	maxCounterName = 512
	keptOfLongName = 128
)

// appendEscaped appends a text without the bytes that separate the parts of the name of a counter.
func appendEscaped(b []byte, text string) []byte {
	const hexDigits = "0123456789ABCDEF"
	for i := range len(text) {
		switch c := text[i]; c {
		case '%', ':', '=', '{', '}':
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

// appendEntry appends an entry of a descriptor.
func appendEntry(b []byte, key, value string) []byte {
	b = appendEscaped(append(b, ':'), key)
	return appendEscaped(append(b, '='), value)
}

// counterName bounds the name of a counter. A cut name has a part that begins with "#" and has no "=",
// which the entry of a descriptor always has.
func counterName(b []byte) string {
	if len(b) <= maxCounterName {
		return string(b)
	}
	sum := sha256.Sum256(b)
	return string(b[:keptOfLongName]) + ":#" + hex.EncodeToString(sum[:])
}
