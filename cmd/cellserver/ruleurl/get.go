package ruleurl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Bounds of a request.
const (
	timeout     = 5 * time.Second
	mostHeaders = 64 << 10
)

// MaxBytes bounds the size of the rules.
const MaxBytes = 4 << 20

// client sends requests. It follows no redirect, because that could lead the password of the URL to another host.
var client = http.Client{
	Timeout:       timeout,
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: mostHeaders, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// get asks a URL. fresh is false if the rules are those of the tag.
func get(ctx context.Context, url, tag string) (text []byte, newTag string, fresh bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, "", false, err
	}
	r.Header.Set("Accept", "application/yaml, application/json")
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	reply, err := client.Do(r)
	if err != nil {
		return nil, "", false, err
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode == http.StatusNotModified && tag != "":
		return nil, tag, false, nil
	case reply.StatusCode != http.StatusOK:
		return nil, "", false, fmt.Errorf("%s answers %q", r.URL.Redacted(), reply.Status)
	}
	text, err = io.ReadAll(io.LimitReader(reply.Body, MaxBytes+1))
	switch {
	case err != nil:
		return nil, "", false, fmt.Errorf("%s: %w", r.URL.Redacted(), err)
	case len(text) > MaxBytes:
		return nil, "", false, fmt.Errorf("%s answers with more than %d bytes", r.URL.Redacted(), MaxBytes)
	}
	return text, reply.Header.Get("ETag"), true, nil
}
