package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/quote"
)

// The kinds of the files that a manifest lists.
const (
	BaseKind    = 'b' // the whole keyspace: at most one
	IncrKind    = 'i' // the changes since, in the order of their numbers
	HistoryKind = 'h' // not needed any more: to be removed
)

// Entry is a line of a manifest: a file of the log.
type Entry struct {
	Name string
	Seq  int64 // not 0
	Kind byte
}

// Manifest lists the files of a log, exactly as Redis 7 does.
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c, "Multi Part AOF".
type Manifest struct {
	Base    Entry // its Kind is 0 if there is no base
	Incrs   []Entry
	History []Entry

	LastBase, LastIncr int64 // the highest numbers
}

// HasBase reports whether the log has a base.
func (m *Manifest) HasBase() bool { return m.Base.Kind == BaseKind }

// Empty reports whether there is nothing to load.
func (m *Manifest) Empty() bool { return !m.HasBase() && len(m.Incrs) == 0 }

// Files returns the files to load, in order.
func (m *Manifest) Files() (all []Entry) {
	if m.HasBase() {
		all = append(all, m.Base)
	}
	return append(all, m.Incrs...)
}

// Clone returns a copy that shares nothing.
func (m *Manifest) Clone() *Manifest {
	n := *m
	n.Incrs, n.History = slices.Clone(m.Incrs), slices.Clone(m.History)
	return &n
}

// Text returns the manifest's file. It begins with a header like that of a batch, which is a comment for
// Redis. Without a checksum, one flipped bit could turn a file to load into a file to remove.
func (m *Manifest) Text() []byte {
	all := slices.Concat(m.History, m.Incrs)
	if m.HasBase() {
		all = slices.Insert(all, 0, m.Base)
	}
	b := append([]byte{}, EmptyHeader[:]...)
	for _, e := range all {
		b = fmt.Appendf(b, "file %s seq %d type %c\n", quote.Quote(e.Name), e.Seq, e.Kind)
	}
	_ = Seal(b) // a manifest is small
	return b
}

// maxManifestLine is the longest line in bytes, with its end.
const maxManifestLine = 1024

// manifestError is a fault in a manifest. reason is Redis's own text.
type manifestError struct {
	line   int
	text   string
	reason string
}

// Error names the line and the reason.
func (e *manifestError) Error() string {
	return fmt.Sprintf("line %d (%.100q): %s", e.line, e.text, e.reason)
}

// ParseManifest reads a manifest. It refuses what Redis refuses, and text that does not fit its header.
func ParseManifest(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if len(text) == 0 {
		return nil, &manifestError{0, "", "Found an empty AOF manifest"}
	}
	if first := nextLine(text); bytes.HasPrefix(first, []byte(HeaderMark)) && !Sealed(text) {
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

// nextLine returns the first line, as C's fgets does: a line that is too long counts as two.
func nextLine(text []byte) []byte {
	text = text[:min(len(text), maxManifestLine)]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end+1]
	}
	return text
}

// badSum also says what a person who has edited a manifest can do.
const badSum = "the checksum is wrong; if you edited the manifest on purpose, remove this line"

const badFormat = "Invalid AOF manifest file format"

// parseLine reads a line. It returns the fault of the line, or "".
func (m *Manifest) parseLine(line []byte) string {
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
	var e Entry
	for i := 0; i < len(words); i += 2 {
		switch value := words[i+1]; strings.ToLower(words[i]) {
		case "file":
			if strings.ContainsAny(value, `/\`) {
				return "File can't be a path, just a filename"
			}
			e.Name = value
		case "seq":
			e.Seq = leadingInt(value)
		case "type":
			e.Kind = (value + "\x00")[0]
		}
	}
	if e.Name == "" || e.Seq == 0 || e.Kind == 0 {
		return badFormat
	}
	return m.Add(e)
}

// Add adds a file. It returns the fault of the file in Redis's own text, or "".
func (m *Manifest) Add(e Entry) string {
	switch e.Kind {
	case BaseKind:
		if m.HasBase() {
			return "Found duplicate base file information"
		}
		m.Base, m.LastBase = e, e.Seq
	case HistoryKind:
		m.History = append(m.History, e)
	case IncrKind:
		if e.Seq <= m.LastIncr {
			return "Found a non-monotonic sequence number"
		}
		m.Incrs, m.LastIncr = append(m.Incrs, e), e.Seq
	default:
		return "Unknown AOF file type"
	}
	return ""
}

// leadingInt reads a number as C's atoll does: up to the first byte that is not a digit. It returns 0 if
// there is no digit.
func leadingInt(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	for end < len(s) && ('0' <= s[end] && s[end] <= '9' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 64)
	return n
}
