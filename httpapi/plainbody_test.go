package httpapi

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestPlainBody(t *testing.T) {
	for body, want := range map[string]fields{
		`{"key":"ann"}`: {"key": "ann"},
		"{ \"key\" : \"ann\" ,\n\"rule\":\"\"\t}\n": {"key": "ann", "rule": ""},
		`{"key":"a{,}:b"}`:                          {"key": "a{,}:b"},
		`{}`:                                        nil,
		`{"key":"ann"`:                              nil,
		`{"key":"ann"} {}`:                          nil,
		`{"key":"ann","key":"ann"}`:                 nil,
		`{"key":"","key":"ann"}`:                    nil,
		`{"key":"ann",}`:                            nil,
		`{"key":"a\"b"}`:                            nil,
		`{"key":1}`:                                 nil,
		`{"key","ann"}`:                             nil,
		`{"key":"ann":"bob"}`:                       nil,
		"{\"key\":\"a\nb\"}":                        nil,
	} {
		require.Equal(t, want, plainBody(body), body)
	}
}

// FuzzPlainBody: what is plain, the decoder accepts, and reads alike.
func FuzzPlainBody(f *testing.F) {
	f.Add(`{"key":"ann"}`)
	f.Add(`{"a" : "b", "c":"d"} `)
	f.Add(`{"a":"b","a":"c"}`)
	f.Add(`{"a":"b"}x`)
	f.Fuzz(func(t *testing.T, body string) {
		object := plainBody(body)
		if object == nil || !utf8.ValidString(body) {
			return
		}
		in := json.NewDecoder(strings.NewReader(body))
		value, err := readValue(in, 0)
		require.NoError(t, err)
		require.Equal(t, map[string]any(object), value)
		_, err = in.Token()
		require.Equal(t, io.EOF, err)
	})
}
