package ruleset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/word"

	"go.yaml.in/yaml/v3"
)

// Errors show these examples.
const (
	exampleLimit  = "100/minute"
	exampleLimits = "`limits: " + exampleLimit + "`"
)

// fileError is an error in one line of a rules-file.
func fileError(line int, format string, args ...any) error {
	return fmt.Errorf(":%d: %w", line, fmt.Errorf(format, args...))
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?:yaml: )?`)

// maxMarks bounds the lines, commas and brackets of a text, and its dashes and question marks before a space.
// Each of them begins three nodes at most, and a node takes some 200 bytes. A text of 4 MB with a list for each
// override is within the bound, in YAML and in indented JSON.
const maxMarks = 420_000

// marks are what may begin a node, with the line breaks of YAML.
var marks = []string{"\n", "\r", "\u0085", "\u2028", "\u2029", ",", "[", "{", "- ", "-\t", "? ", "?\t"}

// tooManyNodes returns an error for a text that may have very many nodes. The parser bounds their depth alone.
func tooManyNodes(text []byte) error {
	n := -bytes.Count(text, []byte("\r\n")) // one line break
	for _, mark := range marks {
		n += bytes.Count(text, []byte(mark))
	}
	if n <= maxMarks {
		return nil
	}
	return fileError(1, "the file has %d lines, commas and brackets, and %d are the most: "+
		"remove rules or overrides that nobody needs", n, maxMarks)
}

// parseYAML returns the root of a text, nil for a text without any value.
func parseYAML(text []byte) (*yaml.Node, error) {
	if err := tooManyNodes(text); err != nil {
		return nil, err
	}
	in := yaml.NewDecoder(bytes.NewReader(text))
	var document, next yaml.Node
	switch err := in.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(text, err)
	}
	if in.Decode(&next) != io.EOF {
		return nil, fileError(max(next.Line, 1),
			"a second document begins here: the file must be one document")
	}
	return document.Content[0], nil
}

// syntaxError names the line of an error of the decoder, and repeats what is there.
func syntaxError(text []byte, err error) error {
	reason := strings.ReplaceAll(err.Error(), "\n", " ")
	number := 1
	if found := yamlLine.FindStringSubmatch(reason); found != nil {
		reason = reason[len(found[0]):]
		if n, err := strconv.Atoi(found[1]); err == nil {
			number = n
		}
	}
	lines := bytes.Split(text, []byte("\n"))
	here := bytes.TrimSpace(lines[min(number, len(lines))-1])
	return fileError(number, "%s: %s is no YAML: "+
		"check colons, brackets, quotes and the indentation, also in the line before",
		reason, shortText(string(here)))
}

// mostShown bounds what an error repeats of a file.
const mostShown = 60

func shortText(text string) string {
	if len(text) > mostShown {
		return strconv.Quote(strings.ToValidUTF8(text[:mostShown], "")) + "…"
	}
	return strconv.Quote(text)
}

// isNothing reports whether a node has no value.
func isNothing(n *yaml.Node) bool { return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// kindOf says what a node is, for errors.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping of names"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "the alias *" + n.Value
	}
	return shortText(n.Value)
}

// notInFile refuses the words of CL.RULE SET that a file says in another way.
func notInFile(words [][]byte) error {
	for _, w := range words {
		for what, instead := range map[string]string{
			"and":    "write a list: `[" + exampleLimit + ", 1000 a day]`",
			"scope":  "write the name of the scope below `scopes:`",
			"shadow": "write the field `shadow: true`",
		} {
			if word.Is(w, what) {
				return fmt.Errorf("%q does not stand in a limit of a file: %s", w, instead)
			}
		}
	}
	return nil
}

// fields calls the reader of each field of a mapping. It refuses unknown fields.
func fields(n *yaml.Node, what string, read map[string]func(*yaml.Node) error) error {
	return pairs(n, what, func(key, value *yaml.Node) error {
		if read[key.Value] == nil {
			known := strings.Join(slices.Sorted(maps.Keys(read)), ", ")
			return fileError(key.Line, "%s: unknown field %q: here may be %s", what, key.Value, known)
		}
		return read[key.Value](value)
	})
}

// pairs calls do for each key and value of a mapping. It refuses keys that repeat. An empty node is
// an empty mapping.
func pairs(n *yaml.Node, what string, do func(key, value *yaml.Node) error) error {
	switch {
	case isNothing(n):
		return nil
	case n.Kind != yaml.MappingNode:
		return fileError(n.Line, "%s must be a mapping of names such as `name: …`, and not %s",
			what, kindOf(n))
	}
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch before, repeats := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			return fileError(key.Line, "%s: %s is no name: write a text", what, kindOf(key))
		case repeats:
			first := ""
			if before > 0 { // JSON has no lines
				first = fmt.Sprintf(", first in line %d", before)
			}
			return fileError(key.Line, "%s: the name %q is there twice%s: remove one of the two",
				what, key.Value, first)
		}
		lines[key.Value] = key.Line
		if err := do(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}
