package document

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxPairs bounds the pairs of keys that the library compares. It compares each key of a map with all
// others of that map, and keeps a text about each pair that is equal. One map may have 10,000 keys.
const maxPairs = 10_000 * 10_000 / 2

// A walk has the pairs of keys of the nodes that have an anchor. The library compares them once more for each
// alias.
type walk map[*yaml.Node]int

// pairs returns how many pairs of keys the maps of a node have. A key that stands twice in a map is an error.
func (w walk) pairs(n *yaml.Node) (pairs int, err error) {
	if n.Kind == yaml.AliasNode {
		return w[n.Alias], nil // 0 inside its own anchor, which the library refuses
	}
	if n.Kind == yaml.MappingNode {
		keys := len(n.Content) / 2
		pairs = keys * (keys - 1) / 2
		if err := noneTwice(n.Content); err != nil {
			return 0, err
		}
	}
	for _, below := range n.Content {
		more, err := w.pairs(below)
		if err != nil {
			return 0, err
		}
		if pairs += more; pairs > maxPairs {
			return 0, fmt.Errorf("yaml: line %d: the maps have too many keys: one map may have 10000, "+
				"and several large ones fewer", n.Line)
		}
	}
	if n.Anchor != "" {
		w[n] = pairs
	}
	return pairs, nil
}

// noneTwice returns the error of a key that stands twice among the keys and values of a map, in the words of
// the library.
func noneTwice(content []*yaml.Node) error {
	type name struct {
		kind  yaml.Kind
		value string
	}
	lines := make(map[name]int, len(content)/2)
	for i := 0; i < len(content); i += 2 {
		key := content[i]
		id := name{key.Kind, key.Value}
		if line, twice := lines[id]; twice {
			return &yaml.TypeError{Errors: []string{fmt.Sprintf(
				"line %d: mapping key %.200q already defined at line %d", key.Line, key.Value, line)}}
		}
		lines[id] = key.Line
	}
	return nil
}
