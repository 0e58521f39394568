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

// client sends requests. It follows no redirect, because that could lead the password of the URL to another
// host.
var client = http.Client{
	Timeout:       timeout,
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: mostHeaders, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// found is what a URL answers.
type found struct {
	text     []byte
	tag      string
	modified time.Time // Last-Modified; zero if the answer does not say it
	fresh    bool      // false if the rules are those of the tag
}

// get asks a URL for other rules than those of a tag.
func get(ctx context.Context, url, tag string) (a found, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return found{}, err
	}
	r.Header.Set("Accept", "application/yaml, application/json")
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	reply, err := client.Do(r)
	if err != nil {
		return found{}, err
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode == http.StatusNotModified && tag != "":
		return found{tag: tag}, nil
	case reply.StatusCode != http.StatusOK:
		return found{}, fmt.Errorf("%s answers %q", r.URL.Redacted(), reply.Status)
	}
	text, err := io.ReadAll(io.LimitReader(reply.Body, MaxBytes+1))
	switch {
	case err != nil:
		return found{}, fmt.Errorf("%s: %w", r.URL.Redacted(), err)
	case len(text) > MaxBytes:
		return found{}, fmt.Errorf("%s answers with more than %d bytes", r.URL.Redacted(), MaxBytes)
	}
	modified, _ := http.ParseTime(reply.Header.Get("Last-Modified")) // a wrong time is none
	return found{text, reply.Header.Get("ETag"), modified, true}, nil
}
