package strictjson

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestFlatObject(t *testing.T) {
	for body, want := range map[string]map[string]any{
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
		require.Equal(t, want, flatObject(body), body)
	}
}

// FuzzFlatObject: what is flat, the decoder accepts, and reads alike.
func FuzzFlatObject(f *testing.F) {
	f.Add(`{"key":"ann"}`)
	f.Add(`{"a" : "b", "c":"d"} `)
	f.Add(`{"a":"b","a":"c"}`)
	f.Add(`{"a":"b"}x`)
	f.Fuzz(func(t *testing.T, body string) {
		object := flatObject(body)
		if object == nil || !utf8.ValidString(body) {
			return
		}
		in := json.NewDecoder(strings.NewReader(body))
		value, err := readValue(in, 0)
		require.NoError(t, err)
		require.Equal(t, object, value)
		_, err = in.Token()
		require.Equal(t, io.EOF, err)
	})
}

// BenchmarkDecode reads a text that is flat, and one that is not.
func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{"flat": `{"key":"user:1"}`, "escape": `{"key":"user:\u0031"}`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
