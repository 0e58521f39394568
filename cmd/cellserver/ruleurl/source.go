package ruleurl

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"cellserver/limiters/ruleset"
)

// The time between two requests. After each failure in a row it doubles, up to the longest.
const (
	Interval = 10 * time.Second
	longest  = 5 * time.Minute

	mostFailures = 16 // more failures do not make the wait longer
)

// Source is a URL of rules. The exported fields do not change.
type Source struct {
	Log  *slog.Logger
	Copy Copy
	// Use puts rules in force, or refuses them as a whole. name is the name of the URL in errors.
	Use func(name string, text []byte) error

	wake chan struct{} // has room for one

	mu       sync.Mutex     // guards the fields below
	url      string         // "": none
	name     string         // the URL without its password
	state    ruleset.Source // for the metrics
	failures int            // requests in a row that brought no valid rules
	lastAnswer
}

// lastAnswer is what the URL has said.
type lastAnswer struct {
	inForce  bool              // rules of this URL, or of its copy
	tag      string            // ETag of the rules in force; "" for none
	modified time.Time         // Last-Modified of the rules in force; zero for none
	last     [sha256.Size]byte // hash of the last answer, also of a refused one
	refused  error             // the reason why the last answer is not in force
}

// Init makes the source ready.
func (s *Source) Init() { s.wake = make(chan struct{}, 1) }

// Follow changes the URL; "" means no URL. The rules of the copy come into force at once, if there are any,
// and a request follows soon. Follow reports whether the URL was another one.
func (s *Source) Follow(text string) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.url {
		return false
	}
	s.state = ruleset.Source{Kind: "url"}
	s.url, s.name, s.inForce, s.tag, s.last, s.refused, s.failures = text, "", false, "", [sha256.Size]byte{}, nil, 0
	s.modified = time.Time{}
	if u, err := url.Parse(text); err == nil && text != "" {
		s.name = u.Redacted()
		if s.inForce = s.restore(); s.inForce {
			s.state.Changed = time.Now().UnixNano()
		}
		s.Wake()
	}
	return true
}

// State returns the state of the URL.
func (s *Source) State() ruleset.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Await asks the URL once. It does nothing if there is no URL, or if rules of the URL are in force.
func (s *Source) Await(ctx context.Context) {
	s.mu.Lock()
	needed := s.url != "" && !s.inForce
	s.mu.Unlock()
	if needed {
		s.Poll(ctx)
	}
}

// Wake makes Run ask at once.
func (s *Source) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// Run asks the URL until ctx ends.
func (s *Source) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-time.After(s.wait()):
		}
		s.Poll(ctx)
	}
}

// wait returns the time until the next request.
func (s *Source) wait() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := Interval
	for range s.failures {
		wait = min(2*wait, longest)
	}
	return wait
}

// Poll asks the URL once. The log has the result.
func (s *Source) Poll(ctx context.Context) {
	s.mu.Lock()
	at, tag := s.url, s.tag
	s.mu.Unlock()
	if at == "" {
		return
	}
	a, err := get(ctx, at, tag)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != at || ctx.Err() != nil { // the URL has changed meanwhile, or the server stops
		return
	}
	switch {
	case err != nil:
		s.Log.Warn("the rules-url does not answer, and "+s.remains(), "error", err)
	case a.fresh:
		err = s.take(a)
	}
	if err == nil {
		s.failures = 0
		s.state.Succeeded(time.Now().UnixNano(), false)
		return
	}
	s.state.Failed(err)
	s.failures = min(s.failures+1, mostFailures)
}

// take puts an answer in force. The same answer again changes nothing, and is not logged again. An answer
// that is older than the rules in force comes from a stale copy, so it is refused, until it has a new time.
func (s *Source) take(a found) error {
	hash, outdated := sha256.Sum256(a.text), s.outdated(a)
	if hash == s.last && (outdated != nil || !errors.Is(s.refused, errOld)) {
		if s.refused == nil {
			s.tag = a.tag
		}
		if s.refused == nil && a.modified.After(s.modified) {
			s.modified = a.modified
		}
		return s.refused
	}
	s.last, s.refused = hash, outdated
	if s.refused == nil {
		s.refused = s.Use(s.name, a.text)
	}
	if s.refused != nil {
		s.Log.Warn("the rules of the rules-url are refused, and "+s.remains()+": correct them",
			"error", s.refused)
		return s.refused
	}
	s.tag, s.modified, s.inForce = a.tag, a.modified, true
	s.state.Succeeded(time.Now().UnixNano(), true)
	s.keep(a.text)
	return nil
}

// remains says which rules are in force after a failure.
func (s *Source) remains() string {
	if s.inForce {
		return "the previous rules stay in force"
	}
	return "no rules of it are in force"
}

// errOld is in the error about an answer that is older than the rules in force.
var errOld = errors.New("an old version")

// outdated refuses an answer that is older than the rules in force.
func (s *Source) outdated(a found) error {
	if a.modified.IsZero() || !a.modified.Before(s.modified) {
		return nil
	}
	return fmt.Errorf("%s answers with %w: its Last-Modified is %s, "+
		"and that of the rules in force is %s: if it is to be in force, give it a new time",
		s.name, errOld, a.modified.Format(time.RFC3339), s.modified.Format(time.RFC3339))
}
