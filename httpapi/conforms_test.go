package httpapi

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// described is the description of the API, decoded.
var described = sync.OnceValue(func() map[string]any {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(description))
	if err != nil {
		panic(err)
	}
	return document.(map[string]any)
})

// at returns a part of the description, nil if there is none.
func at(path ...string) any {
	var part any = described()
	for _, name := range path {
		inside, ok := part.(map[string]any)
		if !ok {
			return nil
		}
		part = inside[name]
	}
	return part
}

// describedPath returns the path of the description for the path of a request.
func describedPath(path string) string {
	switch {
	case strings.HasPrefix(path, "/check/"):
		return "/check/{rule}"
	case strings.HasPrefix(path, "/explain/"):
		return "/explain/{rule}"
	case strings.HasPrefix(path, "/forward/"):
		return "/forward/{parameters}/{path}"
	case strings.HasPrefix(path, "/rules/"):
		return "/rules/{rule}"
	case strings.HasPrefix(path, "/overrides/"):
		return "/overrides/{rule}"
	case strings.HasPrefix(path, "/try/"):
		return "/try/{rule}"
	}
	return path
}

// schema compiles the schema at a place of the description.
func schema(t testing.TB, path ...string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi.json", described()))
	pointer := "openapi.json#"
	for _, name := range path {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	s, err := c.Compile(pointer)
	require.NoError(t, err)
	return s
}

// conforms requires that a reply matches the description.
func conforms(t testing.TB, r *http.Request, got *reply) {
	t.Helper()
	path, method := describedPath(r.URL.Path), strings.ToLower(r.Method)
	if at("paths", path) == nil {
		require.Equal(t, []any{http.StatusNotFound, notFound}, got.code())
		return
	}
	if at("paths", path, method) == nil {
		for _, method = range []string{"get", "post", "put"} { // of /forward, and of methods that are not allowed
			if at("paths", path, method) != nil {
				break
			}
		}
	}
	status := strconv.Itoa(got.Status)
	if got.Body["violated-policies"] != nil {
		status = "429" // the parameter status may choose another one
	}
	media, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	require.NoError(t, err)
	place := []string{"paths", path, method, "responses", status}
	require.NotNil(t, at(slices.Concat(place, []string{"content", media})...), "%s %s: %s %s is not described: %s", r.Method, r.URL, status, media, got.Text)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(got.Text))
	require.NoError(t, err)
	require.NoError(t, schema(t, slices.Concat(place, []string{"content", media, "schema"})...).Validate(value), got.Text)
	allowed, _ := at(slices.Concat(place, []string{"headers"})...).(map[string]any)
	for name := range got.Header {
		if strings.Contains(strings.ToLower(name), "ratelimit") || name == "Retry-After" && status == "429" {
			require.Contains(t, allowed, name)
		}
	}
}

func TestDescription(t *testing.T) {
	w := newWeb(t)
	got := w.get("/openapi.json")
	require.Equal(t, http.StatusOK, got.Status)
	require.Equal(t, "3.1.0", got.Body["openapi"])
	require.Equal(t, []any{http.StatusMethodNotAllowed, notAllowed}, w.send(http.MethodPost, "/openapi.json", "").code())
}

// describes reports whether a schema of the description has a body.
func describes(t testing.TB, name, body string) bool {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	return err == nil && schema(t, "components", "schemas", name).Validate(value) == nil
}

// TestBodiesConform requires that the description and the server agree about bodies, right ones and wrong ones.
func TestBodiesConform(t *testing.T) {
	w := newWeb(t)
	for _, body := range append(slices.Clone(wrongBodies), rightBodies...) {
		described, answered := describes(t, "Throttle", body), w.post("/throttle", body).Status
		if slices.Contains(rightBodies, body) {
			require.True(t, described, body)
			require.Equal(t, http.StatusOK, answered, body)
		} else {
			require.Equal(t, http.StatusBadRequest, answered, body)
		}
	}
}
