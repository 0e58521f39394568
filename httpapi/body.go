package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"cellserver/httpapi/strictjson"
)

const (
	// MaxBody is the most bytes of a body.
	MaxBody = 64 << 10
	// usualBody is the most bytes of a body whose memory is made before it arrives. The memory of a longer
	// one grows as it arrives, so a head alone holds little.
	usualBody = 512
)

// hasJSON reports whether a request has a body of JSON. Another body is a problem, because nobody would read
// it. The body of a method that takes none is no problem: a proxy may pass on that of its client.
func hasJSON(r *http.Request) (bool, *Problem) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		return false, nil
	}
	if r.ContentLength == 0 {
		return false, nil // many clients name the type of a body that they do not send
	}
	kind := strings.Join(r.Header["Content-Type"], ", ")
	if kind == jsonType[0] && r.Header["Content-Encoding"] == nil {
		return true, nil
	}
	media, parameters, err := mime.ParseMediaType(kind)
	charset := strings.ToLower(cmp.Or(parameters["charset"], "utf-8"))
	encoding := strings.Join(r.Header["Content-Encoding"], ", ")
	switch {
	case err != nil || media != jsonType[0]:
		return false, otherBody("the body needs Content-Type: application/json, and has %.64q", kind)
	case !slices.Contains([]string{"utf-8", "utf8", "us-ascii"}, charset):
		return false, otherBody("the charset of JSON must be utf-8, and not %.64q", charset)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return false, otherBody("send the body without Content-Encoding, and not as %.64q", encoding)
	}
	return true, nil
}

func otherBody(format string, args ...any) *Problem {
	return problem(http.StatusUnsupportedMediaType, otherType, format, args...)
}

// readBody decodes the JSON of a request, which must be one object. Different texts must not become the same
// value: it refuses a name that occurs twice, and bytes that the decoder would replace.
func readBody(w http.ResponseWriter, r *http.Request) (fields, *Problem) {
	text, err := []byte(nil), error(nil)
	large := r.ContentLength > MaxBody // a client that expects 100 Continue need not send it
	switch {
	case large:
	case 0 < r.ContentLength && r.ContentLength <= usualBody:
		text = make([]byte, r.ContentLength)
		_, err = io.ReadFull(r.Body, text)
	default:
		text, err = io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		_, large = errors.AsType[*http.MaxBytesError](err)
	}
	if large {
		return nil, problem(http.StatusRequestEntityTooLarge, tooLarge,
			"the body has more than %d bytes", MaxBody)
	}
	switch {
	case err != nil:
		return nil, wrong("the body has not arrived whole")
	case !utf8.Valid(text):
		return nil, otherBody("the body is not UTF-8")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // the writers of .NET begin with it (RFC 8259, 8.1)
	value, err := strictjson.Decode(text)
	switch {
	case errors.Is(err, strictjson.ErrHalf):
		return nil, wrong("the body has %v", err)
	case err != nil:
		return nil, wrong("the body is not the JSON of this request: %.200s", err)
	}
	object, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, wrong("the body must be an object of JSON: it is of the type %s", typeOf(value))
	}
	return object, nil
}

// typeOf returns the name that JSON has for the type of a value.
func typeOf(value any) string {
	switch value.(type) {
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "bool"
	}
	return "number"
}

// readLimits reads the limits of a rule from the body, as words of CL.RULE SET.
func readLimits(w http.ResponseWriter, r *http.Request) ([]string, *Problem) {
	body, err := readLimitsBody(w, r)
	if err != nil {
		return nil, err
	}
	return body.takeLimits()
}

// readLimitsBody reads a body with limits.
func readLimitsBody(w http.ResponseWriter, r *http.Request) (fields, *Problem) {
	isJSON, err := hasJSON(r)
	if err == nil && !isJSON {
		err = wrong("send the limits as JSON, with Content-Type: application/json")
	}
	if err != nil {
		return nil, err
	}
	return readBody(w, r)
}
