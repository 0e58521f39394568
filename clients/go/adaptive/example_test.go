package adaptive_test

import (
	"net/http"

	"cellserver/clients/go/adaptive"
	"cellserver/clients/go/ratelimit"
)

// searchClient is the client of ../README.md.
func searchClient() (*http.Client, error) {
	rdb, err := ratelimit.Connect("redis://127.0.0.1:6379")
	if err != nil {
		return nil, err
	}
	limit, err := adaptive.New(rdb, "search", adaptive.Options{Words: []any{"BETWEEN", 5, 500}})
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: limit.Transport(nil)}, nil
}

var _ = searchClient
