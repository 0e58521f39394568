package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// nowhere is a reply that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkCheck measures a request to a rule, without net/http. The key is in the query, or in a body.
func BenchmarkCheck(b *testing.B) {
	w := newWeb(b)
	w.Do("CL.RULE SET api CL.THROTTLE 15 30 60")
	b.Run("get", func(b *testing.B) {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/check/api?key=user:1", nil)
		b.ReportAllocs()
		for b.Loop() {
			w.api.ServeHTTP(nowhere{http.Header{}}, r)
		}
	})
	b.Run("post", func(b *testing.B) {
		body := strings.NewReader("")
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/check/api", body)
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(body), int64(len(keyed))
		b.ReportAllocs()
		for b.Loop() {
			body.Reset(keyed)
			w.api.ServeHTTP(nowhere{http.Header{}}, r)
		}
	})
}

// keyed is the usual body.
const keyed = `{"key":"user:1"}`
