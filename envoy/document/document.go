package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds one file. The parser bounds what aliases add, and how deep a file is.
const MaxBytes = 16 << 20

// Read returns the first document of a file. An empty file has an empty one. hasMore reports whether more
// documents follow, which the service does not read.
func Read(content []byte) (first *yaml.Node, hasMore bool, err error) {
	if len(content) > MaxBytes {
		return nil, false, fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	first = &yaml.Node{}
	if err := decoder.Decode(first); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if _, err := (walk{}).pairs(first); err != nil {
		return nil, false, err
	}
	next := &yaml.Node{}
	err = decoder.Decode(next)
	return first, !errors.Is(err, io.EOF) && !isEmpty(next), nil
}

// isEmpty reports whether a document has nothing.
func isEmpty(n *yaml.Node) bool { return len(n.Content) == 1 && n.Content[0].ShortTag() == "!!null" }
