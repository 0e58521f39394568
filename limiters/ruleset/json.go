package ruleset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"

	"go.yaml.in/yaml/v3"
)

// A rule in JSON has the fields that it has in the rules-file: limits or scopes, overrides and shadow.

// Bounds of a rule in JSON.
const (
	MaxJSONBytes  = 4 << 20
	MaxJSONValues = 16 * MaxOverrides // with the names of fields; each value takes some 200 bytes
	maxJSONDepth  = 8
)

// Errors of rules in JSON.
var (
	ErrJSON = rediserr.Error(fmt.Sprintf(
		`ERR the rule must be JSON of at most %d bytes and %d values, such as `+
			`{"limits": ["CL.WINDOW 100 60"]}`,
		MaxJSONBytes, MaxJSONValues))
	errNotUTF8  = rediserr.Error("ERR the rule has an override whose key is not UTF-8: use CL.RULE LIST")
	errTooLarge = errors.New("too many brackets or values")
)

// parseJSON parses a rule in JSON.
func parseJSON(name string, text []byte) (*Rule, error) {
	if err := faultOf([]byte(name)); err != nil {
		return nil, repeat(err, name)
	}
	// The decoder would replace invalid characters without an error.
	if len(text) > MaxJSONBytes || !utf8.Valid(text) || quote.LoneSurrogate(text) {
		return nil, ErrJSON
	}
	in := jsonReader{json.NewDecoder(bytes.NewReader(text)), 0}
	n, err := in.node(0)
	at := in.InputOffset()
	_, end := in.Token()
	switch {
	case err == errTooLarge:
		return nil, ErrJSON
	case err != nil || end != io.EOF:
		return nil, rediserr.Error(fmt.Sprintf("%s: at byte %d is %s", ErrJSON, at, quote.Word(text[at:])))
	}
	one, err := readRule(&yaml.Node{Kind: yaml.ScalarNode, Value: name}, n)
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ") // without the number of a line
		return nil, rediserr.Error("ERR " + strings.ReplaceAll(what, "\n", " "))
	}
	return one, nil
}

// jsonReader reads a JSON text.
type jsonReader struct {
	*json.Decoder
	values int // so far
}

// node reads a value as a node of YAML. The fields keep their order.
func (in *jsonReader) node(depth int) (*yaml.Node, error) {
	token, err := in.Token()
	if err != nil {
		return nil, err
	}
	if in.values++; in.values > MaxJSONValues {
		return nil, errTooLarge
	}
	switch v := token.(type) {
	case json.Delim:
		if depth == maxJSONDepth {
			return nil, errTooLarge
		}
		n := &yaml.Node{Kind: yaml.MappingNode}
		if v == '[' {
			n.Kind = yaml.SequenceNode
		}
		for in.More() {
			one, err := in.node(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, one)
		}
		_, err = in.Token() // the closing bracket
		return n, err
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: fmt.Sprint(token)}, nil
}

// object is a JSON object whose fields have an order.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	to := []byte{'{'}
	for i, f := range o {
		name, _ := json.Marshal(f.name) // a text has no error
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			to = append(to, ',')
		}
		to = append(append(append(to, name...), ':'), value...)
	}
	return append(to, '}'), nil
}

// object returns the rule as it is in the rules-file.
func (r *Rule) object() (object, error) {
	if r.Err != nil {
		return object{{"error", plain(r.Err)}}, nil
	}
	var o, scopes, overrides object
	for i := range r.Scopes {
		s := &r.Scopes[i]
		own, err := s.overridesObject()
		switch {
		case err != nil:
			return nil, err
		case s.Name == "":
			o, overrides = append(o, field{"limits", texts(s.Limits)}), own
			continue
		}
		scopes = append(scopes, field{s.Name, texts(s.Limits)})
		if len(own) > 0 {
			overrides = append(overrides, field{s.Name, own})
		}
	}
	if len(scopes) > 0 {
		o = append(o, field{"scopes", scopes})
	}
	if len(overrides) > 0 {
		o = append(o, field{"overrides", overrides})
	}
	if r.Shadow {
		o = append(o, field{"shadow", true})
	}
	return o, nil
}

// overridesObject returns the overrides of a scope, sorted by key.
func (s *Scope) overridesObject() (o object, err error) {
	for _, key := range s.overrides.keys() {
		if !utf8.ValidString(key) {
			return nil, errNotUTF8
		}
		o = append(o, field{key, texts(s.overrides.get([]byte(key)).limits)})
	}
	return o, nil
}

// texts returns the texts of limits.
func texts(limits []Limit) (all []string) {
	for i := range limits {
		all = append(all, limits[i].Text)
	}
	return all
}
