package aof

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/quote"
)

// The types of the files that a manifest lists.
const (
	baseType    = 'b' // a whole keyspace: at most one
	incrType    = 'i' // what changed since, in the order of their numbers
	historyType = 'h' // not needed any more, and to be removed
)

// entry is a line of a manifest: a file of the log.
type entry struct {
	name string
	seq  int64 // its number, not 0
	kind byte
}

// manifest says of which files a log consists: Redis 7's, to the letter.
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c, "Multi Part AOF".
type manifest struct {
	base    entry // its kind is 0 where there is none
	incrs   []entry
	history []entry

	lastBase, lastIncr int64 // the highest numbers
}

func (m *manifest) hasBase() bool { return m.base.kind == baseType }

// empty reports whether it lists nothing to load.
func (m *manifest) empty() bool { return !m.hasBase() && len(m.incrs) == 0 }

// files returns what is to be loaded, in order.
func (m *manifest) files() (all []entry) {
	if m.hasBase() {
		all = append(all, m.base)
	}
	return append(all, m.incrs...)
}

func (m *manifest) clone() *manifest {
	n := *m
	n.incrs, n.history = slices.Clone(m.incrs), slices.Clone(m.history)
	return &n
}

// text is the manifest as it is written: under a header like a batch's, a comment to Redis. One
// changed bit makes a file that is to be loaded one that is to be removed.
func (m *manifest) text() []byte {
	all := slices.Concat(m.history, m.incrs)
	if m.hasBase() {
		all = slices.Insert(all, 0, m.base)
	}
	b := append([]byte{}, emptyHeader[:]...)
	for _, e := range all {
		b = fmt.Appendf(b, "file %s seq %d type %c\n", quote.Quote(e.name), e.seq, e.kind)
	}
	seal(b)
	return b
}

// maxManifestLine is how long a line may be, its end included.
const maxManifestLine = 1024

// manifestError says where a manifest is wrong, in Redis's words.
type manifestError struct {
	line   int
	text   string
	reason string
}

// Error names the line.
func (e *manifestError) Error() string {
	return fmt.Sprintf("line %d (%.100q): %s", e.line, e.text, e.reason)
}

// parseManifest reads a manifest; it refuses what Redis refuses, and what does not fit its header.
func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if len(text) == 0 {
		return nil, &manifestError{0, "", "Found an empty AOF manifest"}
	}
	if first := nextLine(text); bytes.HasPrefix(first, []byte(headerMark)) && !sealed(text) {
		return nil, &manifestError{1, string(first), badSum}
	}
	for number := 1; len(text) > 0; number++ {
		line := nextLine(text)
		text = text[len(line):]
		if line[0] == '#' {
			continue
		}
		if reason := m.parseLine(line); reason != "" {
			return nil, &manifestError{number, string(line), reason}
		}
	}
	return m, nil
}

// nextLine cuts a line off as C's fgets does: what is too long is two lines.
func nextLine(text []byte) []byte {
	text = text[:min(len(text), maxManifestLine)]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end+1]
	}
	return text
}

// badSum is for whoever changed a manifest, too.
const badSum = "The checksum does not fit; a manifest that was changed on purpose is to go without this line"

const badFormat = "Invalid AOF manifest file format"

// parseLine reads a line and returns what is wrong with it, "" for nothing.
func (m *manifest) parseLine(line []byte) string {
	if line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0 {
		return "The AOF manifest file contains too long line"
	}
	text := strings.Trim(string(line), " \t\r\n")
	if text == "" {
		return badFormat
	}
	words, err := quote.Split(text)
	if err != nil || len(words) < 6 || len(words)%2 != 0 {
		return badFormat
	}
	var e entry
	for i := 0; i < len(words); i += 2 {
		switch value := words[i+1]; strings.ToLower(words[i]) {
		case "file":
			if strings.ContainsAny(value, `/\`) {
				return "File can't be a path, just a filename"
			}
			e.name = value
		case "seq":
			e.seq = leadingInt(value)
		case "type":
			e.kind = (value + "\x00")[0]
		}
	}
	if e.name == "" || e.seq == 0 || e.kind == 0 {
		return badFormat
	}
	return m.add(e)
}

// add takes a file in and returns what is wrong with it, "" for nothing.
func (m *manifest) add(e entry) string {
	switch e.kind {
	case baseType:
		if m.hasBase() {
			return "Found duplicate base file information"
		}
		m.base, m.lastBase = e, e.seq
	case historyType:
		m.history = append(m.history, e)
	case incrType:
		if e.seq <= m.lastIncr {
			return "Found a non-monotonic sequence number"
		}
		m.incrs, m.lastIncr = append(m.incrs, e), e.seq
	default:
		return "Unknown AOF file type"
	}
	return ""
}

// leadingInt reads a number as C's atoll does: up to what is no digit, 0 for none.
func leadingInt(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	for end < len(s) && ('0' <= s[end] && s[end] <= '9' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 64)
	return n
}
