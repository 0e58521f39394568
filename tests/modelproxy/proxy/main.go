package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

// longest is the longest time of a call, and the ttl of its reservation.
const longest = 10 * time.Minute

// proxy has the settings.
type proxy struct {
	limits, model string
	keys          map[string][]string // an organisation, a team and a user by API key
}

func main() {
	p := &proxy{limits: os.Getenv("LIMITS"), model: os.Getenv("MODEL")}
	if err := json.Unmarshal([]byte(os.Getenv("KEYS")), &p.keys); err != nil {
		log.Fatal("KEYS: ", err)
	}
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), p))
}

// ServeHTTP reserves an estimate, calls the model, and settles what the model says it has used.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	keys := p.keys[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if keys == nil {
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "this API key is unknown")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	call := map[string]any{}
	if err != nil || json.Unmarshal(body, &call) != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", "the body is not JSON, or too large")
		return
	}
	most, ok := call["max_tokens"].(float64)
	if !ok || most < 1 || most > 1e6 {
		most = 1000
	}
	call["max_tokens"] = most
	if call["stream"] == true {
		call["stream_options"] = map[string]any{"include_usage": true}
	}
	// The id is never that of the client: a second call with the same id would cost nothing.
	about := map[string]any{"rule": "llm", "keys": keys, "id": rand.Text()}
	estimate := len(body)/4 + int(most) // a token of a prompt has about four bytes
	if !p.reserve(w, about, estimate) {
		return
	}
	if used := p.forward(w, r, call); used >= 0 {
		if _, err := p.ask("/settle", about, map[string]any{"quantity": used}); err != nil {
			log.Print("the estimate of a call stays counted: ", err)
		}
	}
}

// reserve reports whether the budgets have room. If not, it answers the client.
func (p *proxy) reserve(w http.ResponseWriter, about map[string]any, estimate int) bool {
	limits, err := p.ask("/reserve", about, map[string]any{"quantity": estimate, "ttl": longest.Seconds()})
	if err != nil {
		log.Print("no decision: ", err)
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "unavailable", "the budgets cannot be asked now")
		return false
	}
	for _, name := range []string{"RateLimit", "RateLimit-Policy", "Retry-After"} {
		if value := limits.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	switch {
	case limits.StatusCode == http.StatusOK:
		return true
	case limits.Header.Get("Retry-After") == "":
		refuse(w, http.StatusTooManyRequests, "request_too_large", "this request is larger than a whole budget: lower max_tokens")
	default:
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", "a budget is used up: try again after "+limits.Header.Get("Retry-After")+" seconds")
	}
	return false
}

// ask sends a request to cellserver until there is an answer, at most three times. The id makes that safe.
func (p *proxy) ask(path string, about, more map[string]any) (reply *http.Response, err error) {
	fields := map[string]any{}
	for _, part := range []map[string]any{about, more} {
		for name, value := range part {
			fields[name] = value
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: 2 * time.Second}
	for range 3 {
		reply, err = client.Post(p.limits+path, "application/json", bytes.NewReader(body))
		if err != nil {
			continue
		}
		reply.Body.Close()
		if reply.StatusCode == http.StatusOK || reply.StatusCode == http.StatusTooManyRequests {
			return reply, nil
		}
		err = errors.New("cellserver: " + reply.Status)
	}
	return nil, err
}

// forward calls the model, and passes its answer on line by line. It returns the tokens that the model has used, or -1
// if the model does not say. If the client hangs up, forward still reads the answer to its end, because the model
// continues to count tokens.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request, call map[string]any) int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), longest)
	defer cancel()
	body, err := json.Marshal(call)
	if err != nil {
		return 0
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.model+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("MODEL_KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		refuse(w, http.StatusBadGateway, "model_unavailable", "the model does not answer")
		return -1 // it may have counted
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	w.WriteHeader(answer.StatusCode)
	used := -1
	if answer.StatusCode != http.StatusOK {
		used = 0 // a call that failed costs nothing
	}
	var line []byte
	for in := bufio.NewReader(answer.Body); err == nil; {
		line, err = in.ReadBytes('\n')
		_, _ = w.Write(line) // the client may have hung up
		_ = http.NewResponseController(w).Flush()
		if tokens, ok := usageOf(line); ok {
			used = tokens
		}
	}
	return used
}

// usageOf returns the tokens that a line of an answer reports.
func usageOf(line []byte) (tokens int, ok bool) {
	var part struct {
		Usage *struct {
			Total int `json:"total_tokens"`
		}
	}
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &part) != nil || part.Usage == nil {
		return 0, false
	}
	return part.Usage.Total, true
}

// refuse answers with an error in the form of the API.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}})
}
