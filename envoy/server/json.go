package server

import (
	"bytes"
	"io"
	"net/http"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/encoding/protojson"
)

// jsonHandler answers requests in JSON.
func jsonHandler(service ratelimit.RateLimitServiceServer, a *arrivals) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		part := a.ofHTTP(w, r)
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		part.whole()
		if err != nil || bytes.Count(body, []byte("{")) > maxParts {
			badRequest(w)
			return
		}
		request := &ratelimit.RateLimitRequest{}
		if err := protojson.Unmarshal(body, request); err != nil {
			badRequest(w)
			return
		}
		response, err := service.ShouldRateLimit(r.Context(), request)
		if err != nil {
			badRequest(w)
			return
		}
		text, err := protojson.Marshal(response)
		if err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if response.GetOverallCode() == ratelimit.RateLimitResponse_OVER_LIMIT {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = w.Write(text)
	}
}

// badRequest is the answer to each request that has an error, as users of the service know it.
func badRequest(w http.ResponseWriter) {
	http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
}
