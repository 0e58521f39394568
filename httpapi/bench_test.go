package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// nowhere is a reply that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkCheck measures a request to a rule, without net/http.
func BenchmarkCheck(b *testing.B) {
	w := newWeb(b)
	w.Do("CL.RULE SET api CL.THROTTLE 15 30 60")
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/check/api?key=user:1", nil)
	b.ReportAllocs()
	for b.Loop() {
		w.api.ServeHTTP(nowhere{http.Header{}}, r)
	}
}
