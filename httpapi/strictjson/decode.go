package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"cellserver/internal/quote"
)

// maxDepth is how deep the values of a body may lie in each other.
const maxDepth = 8

// ErrHalf means that a text has half of a character: one of the two escapes that a decoder makes one of.
var ErrHalf = errors.New(`one half of a pair such as \ud83d\ude00, which is no character`)

// Decode reads one value. Objects are maps, lists are slices, and numbers are json.Number.
func Decode(text []byte) (any, error) {
	if object := flatObject(string(text)); object != nil {
		return object, nil // it has no escapes
	}
	if quote.LoneSurrogate(text) {
		return nil, ErrHalf
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	value, err := readValue(in, 0)
	if err != nil {
		return nil, err
	}
	if _, more := in.Token(); more != io.EOF {
		return nil, errors.New("there is more than one value")
	}
	return value, nil
}

// readValue reads a value. Objects are maps, and lists are slices.
func readValue(in *json.Decoder, depth int) (any, error) {
	token, err := in.Token()
	delim, nested := token.(json.Delim)
	switch {
	case err != nil || !nested:
		return token, err
	case depth == maxDepth:
		return nil, errors.New("too many brackets")
	}
	var list []any
	object := map[string]any{}
	for in.More() {
		name := ""
		if delim == '{' {
			token, err := in.Token()
			if err != nil {
				return nil, whole(err)
			}
			name, _ = token.(string) // the decoder has refused other names
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("the name %s is there twice", quote.Word(name))
			}
		}
		value, err := readValue(in, depth+1)
		if err != nil {
			return nil, whole(err)
		}
		if delim == '{' {
			object[name] = value
		} else {
			list = append(list, value)
		}
	}
	if _, err := in.Token(); err != nil { // the closing bracket
		return nil, whole(err)
	}
	if delim == '{' {
		return object, nil
	}
	return list, nil
}

// whole returns the error of a text that ends inside a value.
func whole(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
